// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Disconnects sources that hang from our ports until they answer, and keeps their lanes, levels and declarations. Confined to
/// the loop.
final class StallKeeper {
    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    private let links: LinkTable
    private let receivers: ReceiverKeeper
    private let tracker: ConnectionTracker
    private let refresh: Refresh
    /// Called when other sources of a port hang than before.
    var onChange: ((LivePort) -> Void)?
    /// Sources whose links the daemon does not let us remove, by serial.
    private var refused: Set<UInt64> = []

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ links: LinkTable,
        _ receivers: ReceiverKeeper, _ tracker: ConnectionTracker, _ refresh: Refresh
    ) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.links = links
        self.receivers = receivers
        self.tracker = tracker
        self.refresh = refresh
    }

    /// Removes all links from a source to a port, whichever program made them, and keeps what is needed to make them
    /// again.
    ///
    /// - Returns: whether there are such links, and they can be removed as far as is known.
    func begin(_ source: GraphPort.ID, at port: LivePort) -> Bool {
        guard !refused.contains(source.serial) else { return false }
        let found = port.links.allIncoming.compactMap {
            id -> (id: UInt32, key: LinkTable.Key, place: PortLinks.Place)? in
            guard let ends = model.reducer.ends(ofLink: id), model.serial(ofChannel: ends.output) == source.serial,
                let place = port.channels.place(ofInput: ends.input)
            else { return nil }
            return (id, LinkTable.Key(output: ends.output, input: ends.input), place)
        }
        guard !found.isEmpty else { return false }
        var summaries: [Int: LaneTable.LinkSummary] = [:]
        for lane in Set(found.map(\.place.lane)) {
            guard let summary = port.links.linkSummary(ofLane: lane), summary.sources == [source.serial] else {
                continue
            }
            summaries[lane] = summary
        }
        port.links.beginStall(
            StalledSource(
                source: source.serial,
                routes: found.map { StalledSource.Route(output: $0.key.output, place: $0.place) }
                    .sorted { ($0.place.lane, $0.place.channel) < ($1.place.lane, $1.place.channel) },
                linkSummaries: summaries))
        for link in found { remove(link.id, link.key) }
        // The daemon reports the removals before it answers the round trip.
        connection.afterRoundTrip { [self] in check(found.map(\.id), from: source, at: port.id) }
        update(port)
        return true
    }

    private func remove(_ id: UInt32, _ key: LinkTable.Key) {
        if let link = links[key], !link.lingers { links.release(link) } else { try? links.destroy(id: id) }
    }

    /// Ends a stall whose links the daemon has not removed.
    private func check(_ removed: [UInt32], from source: GraphPort.ID, at port: GraphPort.ID) {
        guard connection.isOpen, let port = ports[port], !port.links.allIncoming.isDisjoint(with: removed) else {
            return
        }
        refused.insert(source.serial)
        end(source, at: port)
    }

    /// Ends a stall: the source is connected again, or will not be. Idempotent.
    func end(_ source: GraphPort.ID, at port: LivePort) {
        if port.links.endStall(of: source.serial) != nil { update(port) }
    }

    /// Ends a stall at a port of any app.
    ///
    /// - Returns: whether there was one.
    func end(_ source: GraphPort.ID, at port: GraphPort.ID) -> Bool {
        guard let port = ports[port], port.links.stall(of: source.serial) != nil else { return false }
        end(source, at: port)
        return true
    }

    /// Ends all stalls of a source that is gone.
    func sourceDisappeared(_ serial: UInt64) {
        refused.remove(serial)
        let source = GraphPort.ID(serial: serial)
        for port in ports where port.links.stall(of: serial) != nil {
            end(source, at: port)
            tracker.stallEnded(source, port.id)
        }
    }

    private func update(_ port: LivePort) {
        receivers.update(port)
        port.publishStatus()
        onChange?(port)
        refresh.mark([.ports, .sourceReaders])
    }
}
