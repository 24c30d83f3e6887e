// SPDX-License-Identifier: MIT
import PipeWireClient

/// The links that this session has made, by their ends. Links are made and ended only here. Confined to the loop.
final class LinkTable {
    /// The ends of a link, by the global ids of their channels.
    struct Key: Hashable {
        var output: UInt32
        var input: UInt32
    }

    private let connection: SessionConnection
    private var links: [Key: Link] = [:]
    /// Called in a job when a link is lost that was made without an `onLoss` of its own.
    var onLoss: ((Key) -> Void)?

    init(on connection: SessionConnection) { self.connection = connection }

    subscript(key: Key) -> Link? { links[key] }

    /// Requests a link from the daemon, and keeps it until it is released.
    ///
    /// - Parameter onLoss: called in a job when the link fails or another program removes it.
    /// - Throws: ``PipeWireError`` `linkExists` if this session has the link already.
    @discardableResult
    func make(
        _ key: Key, lingers: Bool = false, isPassive: Bool = false, onLoss: (() -> Void)? = nil
    ) throws(PipeWireError) -> Link {
        // Of two concurrent calls, the second must not use the first one's link.
        guard links[key] == nil else { throw PipeWireError.linkExists }
        let link = try Link(
            on: connection.pipeWire, output: key.output, input: key.input, lingers: lingers, isPassive: isPassive)
        links[key] = link
        link.onActive = { [unowned self] in connection.wakeWaits() }
        link.onFailure = { [unowned self] _ in
            // In a job, because this is called inside the proxy's own callback.
            connection.later { [weak self] in self?.lost(link, onLoss) }
        }
        return link
    }

    private func lost(_ link: Link, _ handler: (() -> Void)?) {
        let key = Key(output: link.output, input: link.input)
        // The link may have been released, or made again, in between.
        guard links[key] === link, link.isLost else { return }
        if let handler { handler() } else { onLoss?(key) }
    }

    /// Releases a link. The daemon removes it, unless it lingers. Idempotent.
    func release(_ link: Link) {
        link.onFailure = nil
        link.onActive = nil
        // A call may wait for it.
        if !link.isActive { connection.wakeWaits() }
        let key = Key(output: link.output, input: link.input)
        if links[key] === link { links[key] = nil }
        link.close()
    }

    /// Removes a link from the graph, even if it lingers.
    func undo(_ link: Link) {
        // A lingering link outlives its proxy. A lost link's id may be another object's by now, which must not be
        // destroyed.
        if link.lingers, !link.isLost, let id = link.id { try? destroy(id: id) }
        release(link)
    }

    /// Requests that the daemon remove a link, whichever program made it.
    func destroy(id: UInt32) throws(PipeWireError) { try connection.pipeWire.destroyGlobal(id: id) }

    /// Releases all links at some channels.
    func releaseAll(atChannels channels: Set<UInt32>) {
        for (key, link) in links where channels.contains(key.output) || channels.contains(key.input) { release(link) }
    }

    /// Fails all links, because the connection is lost. libpipewire does not notify their proxies, so calls that wait
    /// for a link would wait until their time limit.
    func connectionLost(_ error: PipeWireError) {
        for link in links.values { link.handle(.connectionLost(error)) }
    }

    func close() { for link in links.values { release(link) } }
}
