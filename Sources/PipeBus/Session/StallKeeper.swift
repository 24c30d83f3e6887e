// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Disconnects sources that hang from our ports until they answer, and keeps their lanes, levels and declarations, also when the
/// port is made again meanwhile. Confined to the loop.
final class StallKeeper {
    private let connection: SessionConnection
    private let model: GraphModel
    private let declared: Declarations
    private let ports: PortTable
    private let links: LinkTable
    private let receivers: ReceiverKeeper
    private let tracker: ConnectionTracker
    private let apps: AwaitedApps
    private let refresh: Refresh
    /// Called when other sources of a port hang than before.
    var onChange: ((LivePort) -> Void)?
    /// Called before the stalls of a source end whose node disappears while its app is still there.
    var onSourceLost: ((GraphPort.ID) -> Void)?
    /// Sources whose links the daemon does not let us remove, by serial.
    private var refused: Set<UInt64> = []
    /// Links that are being removed.
    private var removing: Set<UInt32> = []

    init(
        on connection: SessionConnection, _ model: GraphModel, _ declared: Declarations, _ ports: PortTable,
        _ links: LinkTable, _ receivers: ReceiverKeeper, _ tracker: ConnectionTracker, _ apps: AwaitedApps,
        _ refresh: Refresh
    ) {
        self.connection = connection
        self.model = model
        self.declared = declared
        self.ports = ports
        self.links = links
        self.receivers = receivers
        self.tracker = tracker
        self.apps = apps
        self.refresh = refresh
    }

    /// Removes all links from a source to a port, whichever program made them, and keeps what is needed to make them
    /// again. If the source was disconnected before, another program has linked it again meanwhile.
    ///
    /// - Returns: whether there are such links, and they can be removed as far as is known.
    func begin(_ source: GraphPort.ID, at port: LivePort) -> Bool {
        guard !refused.contains(source.serial), let sourcePort = model.snapshot.port(source) else { return false }
        let found = links(from: source, to: port)
        guard !found.isEmpty else { return false }
        let before = port.links.stall(of: source.serial)
        let routes = found.map { StalledSource.Route(output: $0.key.output, place: $0.place) }
        var summaries = before?.linkSummaries ?? [:]
        for lane in Set(found.map(\.place.lane)) where summaries[lane] == nil {
            guard let summary = port.links.linkSummary(ofLane: lane), summary.sources == [source.serial] else {
                continue
            }
            summaries[lane] = summary
        }
        port.links.beginStall(
            StalledSource(
                source: source.serial,
                routes: Set(routes + (before?.routes ?? []))
                    .sorted { ($0.place.lane, $0.place.channel) < ($1.place.lane, $1.place.channel) },
                linkSummaries: summaries))
        declared.stalls.begin(at: port.name, tracker.end(sourcePort), serial: source.serial, summaries)
        let ids = Set(found.map(\.id))
        let serials = Set(ids.compactMap { model.reducer.serial(ofLink: $0) })
        removing.formUnion(ids)
        for link in found { remove(link.id, link.key) }
        // The daemon reports the removals before it answers the round trip.
        connection.afterRoundTrip { [self] in
            removing.subtract(ids)
            check(serials, from: source, at: port.id)
        }
        update(port)
        return true
    }

    /// Whether links from a source to a port are being removed.
    func isDisconnecting(_ source: GraphPort.ID, from port: LivePort) -> Bool {
        !removing.isEmpty && links(from: source, to: port).contains { removing.contains($0.id) }
    }

    private func links(
        from source: GraphPort.ID, to port: LivePort
    ) -> [(id: UInt32, key: LinkTable.Key, place: PortLinks.Place)] {
        port.links.allIncoming.compactMap { id in
            guard let ends = model.reducer.ends(ofLink: id), model.serial(ofChannel: ends.output) == source.serial,
                let place = port.channels.place(ofInput: ends.input)
            else { return nil }
            return (id, LinkTable.Key(output: ends.output, input: ends.input), place)
        }
    }

    private func remove(_ id: UInt32, _ key: LinkTable.Key) {
        if let link = links[key], !link.lingers { links.release(link) } else { try? links.destroy(id: id) }
    }

    /// Ends a stall whose links the daemon has not removed.
    ///
    /// - Parameter removed: the links by serial: the daemon gives the id of a removed link to the next one.
    private func check(_ removed: Set<UInt64>, from source: GraphPort.ID, at port: GraphPort.ID) {
        guard connection.isOpen, let port = ports[port] else { return }
        let present = port.links.allIncoming.compactMap { model.reducer.serial(ofLink: $0) }
        guard !removed.isDisjoint(with: present) else { return }
        refused.insert(source.serial)
        giveUp(source, at: port)
    }

    // MARK: The end of a stall

    /// The source may be connected again. Idempotent.
    func end(_ source: GraphPort.ID, at port: LivePort) {
        if port.links.endStall(of: source.serial) != nil { update(port) }
    }

    /// The source is not connected again.
    ///
    /// - Returns: whether it hung.
    @discardableResult
    func giveUp(_ source: GraphPort.ID, at port: LivePort) -> Bool {
        guard let stall = port.links.endStall(of: source.serial) else { return false }
        if stall.isOfFormerNode, let remembered = declared.stalls.stall(of: source.serial, at: port.name) {
            tracker.stallEnded(remembered)
        }
        declared.stalls.end(source.serial, at: port.name)
        update(port)
        tracker.stallEnded(source, port.id)
        return true
    }

    /// Ends all stalls of a source whose node is about to disappear. If its app is still there, another program has destroyed the
    /// node: the source is connected again when the app answers and has made the node again.
    func sourceDisappears(_ serial: UInt64) {
        refused.remove(serial)
        guard declared.stalls.all.contains(where: { $0.serial == serial }) else { return }
        let source = GraphPort.ID(serial: serial)
        guard let client = apps.client(ofNodeWithSerial: serial) else {
            for port in ports { giveUp(source, at: port) }
            // It may have hung at a port that is being made again, or have answered a moment ago.
            for stall in declared.stalls.all where stall.serial == serial { forget(stall) }
            return
        }
        onSourceLost?(source)
        for port in ports where port.links.endStall(of: serial) != nil {
            tracker.stalledSourceLost(source, port.id)
            update(port)
        }
        for stall in declared.stalls.nodeDisappeared(serial) {
            apps.wait(for: client, while: { [declared] in declared.stalls.all.contains(stall) }) { [weak self] in
                self?.forget(stall)
            }
        }
    }

    private func forget(_ stall: RememberedStalls.Stall) {
        tracker.stallEnded(stall)
        declared.stalls.end(stall)
    }

    // MARK: Ports that are made again

    /// Takes up the stall of a source at a port whose node was destroyed meanwhile, if the two are to be connected again.
    ///
    /// - Returns: whether there is such a stall.
    func takeUp(_ source: GraphPort.ID, at port: LivePort) -> Bool {
        guard let stall = declared.stalls.stall(of: source.serial, at: port.name),
            tracker.isToBeRestored(source, port.id)
        else { return false }
        port.links.beginStall(
            StalledSource(source: source.serial, routes: [], linkSummaries: stall.linkSummaries))
        update(port)
        return true
    }

    /// Whether a source that hangs was disconnected from a port that is being made again.
    func isAwaited(_ source: GraphPort.ID) -> Bool {
        declared.stalls.all.contains { $0.serial == source.serial && ports[$0.port] == nil }
    }

    private func update(_ port: LivePort) {
        receivers.update(port)
        port.publishStatus()
        onChange?(port)
        refresh.mark([.ports, .sourceReaders])
    }
}
