// SPDX-License-Identifier: MIT
import PipeWireClient

/// The links that this session has asked for, by their ends. Links are made and ended here and nowhere else. Lives on the
/// loop.
final class LinkTable {
    /// The ends of a link, by the global ids of their channels.
    struct Key: Hashable {
        var output: UInt32
        var input: UInt32
    }

    private let connection: PipeWireConnection
    private let jobs: JobQueue
    private var links: [Key: Link] = [:]
    /// Called in a job when a link is lost for which ``make(_:lingers:isPassive:onLoss:)`` was given nothing else.
    var onLoss: ((Key) -> Void)?

    init(on connection: PipeWireConnection, jobs: JobQueue) {
        self.connection = connection
        self.jobs = jobs
    }

    subscript(key: Key) -> Link? { links[key] }

    /// Asks for a link, and keeps it until it is ended.
    ///
    /// - Parameter onLoss: called in a job when the link fails or somebody removes it.
    /// - Throws: ``PipeWireError`` `linkExists` if there is one of ours.
    @discardableResult
    func make(
        _ key: Key, lingers: Bool = false, isPassive: Bool = false, onLoss: (() -> Void)? = nil
    ) throws(PipeWireError) -> Link {
        // Two calls at once: the second must not take the first one's link for its own.
        guard links[key] == nil else { throw PipeWireError.linkExists }
        let link = try Link(
            on: connection, output: key.output, input: key.input, lingers: lingers, isPassive: isPassive)
        links[key] = link
        link.onFailure = { [unowned self] _ in
            // Not inside the proxy's own callback, where this is called.
            jobs.add { [weak self] in self?.lost(link, onLoss) }
        }
        return link
    }

    private func lost(_ link: Link, _ handler: (() -> Void)?) {
        let key = Key(output: link.output, input: link.input)
        // It may have been ended, or made again, in between.
        guard links[key] === link, link.isLost else { return }
        if let handler { handler() } else { onLoss?(key) }
    }

    /// Lets go of a link, which takes it out of the graph unless it lingers. Idempotent.
    func release(_ link: Link) {
        link.onFailure = nil
        let key = Key(output: link.output, input: link.input)
        if links[key] === link { links[key] = nil }
        link.close()
    }

    /// Takes a link out of the graph, a lingering one too.
    func undo(_ link: Link) {
        // A lingering link outlives its proxy. One that is lost has no id any more: the daemon may have given it to
        // something else, which is not ours to destroy.
        if link.lingers, !link.isLost, let id = link.id { try? destroy(id: id) }
        release(link)
    }

    /// Asks the daemon to remove any link, by whomever it was made.
    func destroy(id: UInt32) throws(PipeWireError) { try connection.destroyGlobal(id: id) }

    /// Lets go of all links at some channels.
    func releaseAll(atChannels channels: Set<UInt32>) {
        for (key, link) in links where channels.contains(key.output) || channels.contains(key.input) { release(link) }
    }

    /// Libpipewire reports nothing to the links: without this whoever waits for one would wait until the time is up.
    func connectionLost(_ error: PipeWireError) {
        for link in links.values { link.handle(.connectionLost(error)) }
    }

    func close() { for link in links.values { release(link) } }
}
