// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Removes and silences forbidden connections at our ports: those that bring our own sound back although the app does
/// not allow that. The rule is ``ConnectionGraph/GraphSnapshot/forbiddenReturns()``. Confined to the loop.
final class SelfConnectionGuard {
    private let connection: SessionConnection
    private let model: GraphModel
    private let links: LinkTable
    private let notices: NoticeLog
    private var records: [GraphPort.ID: SelfConnectionRecord] = [:]
    /// Called in a job when a link could not be removed.
    var onLinkKept: ((_ link: UInt32, _ port: GraphPort.ID) -> Void)?

    init(on connection: SessionConnection, _ model: GraphModel, _ links: LinkTable, notices: NoticeLog) {
        self.connection = connection
        self.model = model
        self.links = links
        self.notices = notices
    }

    // MARK: Events of the graph

    /// Checks a port at which a link has appeared, so that a forbidden link is silenced before its first cycle.
    ///
    /// - Returns: whether the link is being removed.
    func linkAppeared(_ link: UInt32, at port: LivePort) -> Bool {
        guard model.forbiddenReturns.contains(where: { $0.links.contains { $0.id == link } }) else { return false }
        _ = check(port)
        return records[port.id]?.isRemoving(link: link) ?? false
    }

    func linkDisappeared(_ link: UInt32) {
        for port in records.keys { records[port]?.linkRemoved(link) }
    }

    func sourceDisappeared(_ source: UInt64) {
        for port in records.keys { records[port]?.sourceRemoved(source) }
    }

    /// Forgets one of our own ports that has left the graph. Idempotent.
    func forget(_ port: GraphPort.ID) { records[port] = nil }

    // MARK: Removing and silencing

    /// Finds the forbidden connections at a port, removes each once, and silences all that exist.
    ///
    /// - Returns: whether the silenced lanes have changed.
    func check(_ port: LivePort) -> Bool {
        guard port.declaration.inputs > 0 else { return false }
        let snapshot = model.snapshot
        let returns = model.forbiddenReturns
        var blocked = LaneSet()
        var silenced: Set<UInt64> = []
        var possible: Set<UInt64> = []
        for connection in snapshot.connections(to: port.id) {
            if returns.contains(connection) {
                for link in connection.links { blocked.insert(link.input / port.channels.laneWidth) }
                if !remove(connection, at: port) { silenced.insert(connection.source.serial) }
            } else if snapshot.isForbiddenReturn(connection.source, to: port.id) == .unknown {
                possible.insert(connection.source.serial)
            }
        }
        announce(.selfConnectionSilenced, of: record(of: port) { $0.recordSilenced(silenced) }, at: port) { source in
            "\(source) brings \(port.title) the sound of its own app, and was disconnected before and came back, or cannot "
                + "be disconnected; it stays and is silent. Allow connections to itself in the app if that is meant."
        }
        announce(.selfConnectionPossible, of: record(of: port) { $0.recordPossible(possible) }, at: port) { source in
            "\(port.title) may hear its own app through \(source), which was not made with PipeBus; disconnect it if "
                + "there is acoustic feedback."
        }
        return port.block(blocked)
    }

    /// Removes the links of a connection that were not removed before.
    ///
    /// - Returns: whether all links of the connection are being removed.
    private func remove(_ returning: Connection, at port: LivePort) -> Bool {
        let source = returning.source.serial
        let isReported = records[port.id]?.isRemoving(from: source) ?? false
        var isRemoved = false
        var stays = false
        for link in returning.links {
            let route = SelfConnectionRecord.Route(
                source: source, output: link.output, input: link.input % port.channels.laneWidth)
            switch record(of: port, { $0.decide(link: link.id, route) }) {
            case .wait: break
            case .silence: stays = true
            case .remove:
                isRemoved = true
                remove(link: link.id, at: port.id)
            }
        }
        if isRemoved && !isReported {
            announce(.selfConnectionRemoved, of: [source], at: port) { source in
                "\(source) brought \(port.title) the sound of its own app, and was disconnected from it."
            }
        }
        return !stays
    }

    private func remove(link: UInt32, at port: GraphPort.ID) {
        // After an error the link stays, as after a refusal of the daemon.
        try? links.destroy(id: link)
        // The daemon reports the link's removal before it answers the round trip.
        connection.afterRoundTrip { [self] in
            if records[port]?.linkRemoved(link) == true { onLinkKept?(link, port) }
        }
    }

    private func record<Result>(of port: LivePort, _ body: (inout SelfConnectionRecord) -> Result) -> Result {
        body(&records[port.id, default: SelfConnectionRecord()])
    }

    /// - Parameter message: makes the message from a source's title.
    private func announce(
        _ kind: Notice.Kind, of sources: Set<UInt64>, at port: LivePort, _ message: (String) -> String
    ) {
        for source in sources {
            let title = model.snapshot.port(GraphPort.ID(serial: source))?.title ?? "A source"
            notices.post(Notice(kind: kind, port: port.name, message: message(title)))
        }
    }
}
