// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Sets and publishes the latencies that our own ports add. A sender may follow a receiver of the same client: it adds
/// the latency of the receiver's mix. Confined to the loop.
final class OwnLatencyKeeper {
    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    private let refresh: Refresh

    init(on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ refresh: Refresh) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.refresh = refresh
    }

    // MARK: Calls of the app

    /// Sets the latency that a port adds, which is checked: see ``Declarations/check(_:of:)``.
    func setLatency(_ latency: PortLatency, of port: LivePort) async throws {
        // The step that can fail comes first, and only if there is a change.
        if latency.receiver != port.declaration.latency.receiver {
            try port.setProperties([(PipeBusProperty.follows, latency.receiver ?? "")])
        }
        port.declared.change { $0.latency = latency }
        apply(to: port)
        try await connection.roundTrip()
    }

    // MARK: Followers

    /// Updates all senders that follow a receiver to the present latency of its mix.
    func updateFollowers(of receiver: String) {
        for port in ports where port.declaration.latency.receiver == receiver {
            update(port)
        }
    }

    /// Publishes the latency that a port adds if it has changed.
    func update(_ port: LivePort) {
        if port.latencies.ledger.own != resolved(port) { apply(to: port) }
    }

    /// Updates all senders that follow a receiver. A connection elsewhere may have closed or opened a loop through
    /// them.
    func updateAllFollowers() {
        for name in Set(ports.compactMap(\.declaration.latency.receiver)) { updateFollowers(of: name) }
    }

    /// Publishes the latency that a port adds, in the graph, to its bypass and to its object.
    func apply(to port: LivePort) {
        let frames = resolved(port)
        _ = port.latencies.change { $0.own = frames }
        port.declared.handle.latency.frames = frames
        port.followLatency()
        port.latencies.publishOwn()
        port.latencies.publish()
        refresh.mark(.latencies)
    }

    /// The present latency that a port adds, in frames.
    private func resolved(_ port: LivePort) -> Int {
        let own = port.declared.ownFrames
        guard let name = port.declaration.latency.receiver, let receiver = ports[name] else { return own }
        // Clamped to the range that a port may publish. Both are bounded, so the sum cannot overflow.
        return min(own + latency(ofMixAt: receiver, without: port.id), 1_048_576)
    }

    /// The latency of a receiver's mix, in frames, without sources that return the sound of a following sender.
    private func latency(ofMixAt port: LivePort, without follower: GraphPort.ID) -> Int {
        guard let control = port.receiver else { return 0 }
        let lanes = control.lanes.filter(\.isHeard)
        let counted = lanes.filter { !mayCome(GraphPort.ID(serial: $0.source), from: follower) }
        if counted.count == lanes.count, !filterMayHear(follower, besides: port) { return control.memory.totalLatency }
        // Not the latency that the receiver holds: it includes the wait for the returning sound, which is older.
        return counted.map(\.latency.upperBound).max() ?? 0
    }

    /// Whether an auxiliary input waits for other sound of its filter that may come from a sender.
    private func filterMayHear(_ sender: GraphPort.ID, besides port: LivePort) -> Bool {
        guard let filter = port.declaration.auxiliaryOf.flatMap({ ports[$0] }) else { return false }
        return mayCome(filter.id, from: sender, throughAuxiliaryInputs: true)
    }

    // MARK: Auxiliary inputs

    /// The lanes of an auxiliary input whose sound may come from its filter, or is late because the filter is: if the filter waited
    /// for them, it would wait for itself, longer with every round.
    func returningLanes(of port: LivePort) -> LaneSet {
        guard let control = port.receiver, let filter = port.declaration.auxiliaryOf.flatMap({ ports[$0] }) else {
            return LaneSet()
        }
        return LaneSet(
            control.lanes.indices.filter { lane in
                (control.lanes[lane].linkSummary?.sources ?? []).contains {
                    mayCome(GraphPort.ID(serial: $0), from: filter.id, throughAuxiliaryInputs: true)
                }
            })
    }

    /// Whether a port's sound may come from an origin, through senders that follow receivers too, of this app and of
    /// others.
    ///
    /// - Parameter throughAuxiliaryInputs: whether to go on to all ports for which a filter or one of its auxiliary inputs waits. They
    ///   are not its sound, but it may be as late as they are.
    private func mayCome(
        _ port: GraphPort.ID, from origin: GraphPort.ID, throughAuxiliaryInputs: Bool = false
    ) -> Bool {
        let snapshot = model.snapshot
        var visited: Set<GraphPort.ID> = []
        var pending = [port]
        while let next = pending.popLast() {
            guard visited.insert(next).inserted else { continue }
            if next == origin { return true }
            pending += snapshot.sources(of: next).map(\.id)
            guard let port = snapshot.port(next) else { continue }
            if throughAuxiliaryInputs { pending += sourcesOfLateness(of: port, in: snapshot) }
            guard let name = port.followedReceiver else { continue }
            pending += snapshot.ports.filter { $0.peer == port.peer && $0.kind == .receiver && $0.name == name }
                .map(\.id)
        }
        return false
    }

    /// The ports for which a filter and its auxiliary inputs wait, if the port is one of them: they wait for each other.
    private func sourcesOfLateness(of port: GraphPort, in snapshot: GraphSnapshot) -> [GraphPort.ID] {
        guard port.isPipeBus, let filter = port.auxiliaryOf ?? (port.kind == .filter ? port.name : nil) else {
            return []
        }
        return snapshot.ports.filter { $0.peer == port.peer }.flatMap { other in
            if other.auxiliaryOf == filter { return [other.id] }
            // Not the filter itself, whose own delay the auxiliary inputs do not have.
            return other.kind == .filter && other.name == filter ? snapshot.sources(of: other.id).map(\.id) : []
        }
    }
}
