// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Brings up to date what follows from the graph: one job, in one order.
extension DaemonSession {
    /// - Parameter parts: what is out of date from now on, and brought up to date by a job. It runs on the loop after the
    ///   events that wait there now, so a burst of them costs one job.
    func markStale(_ parts: Refresh.Parts) {
        if refresh.mark(parts) { jobs.add { [self] in bringUpToDate() } }
    }

    /// The order matters: what must not be heard is silenced first. Receivers hold what follows of latency, and the state
    /// of a port is what its readers are given.
    private func bringUpToDate() {
        refresh.begin()
        guard isOpen else { return }
        let arePortsStale = refresh.take(.ports) && !ports.isEmpty
        let blocked = arePortsStale ? guardPorts() : []
        let areReceiversStale = refresh.take(.receivers)
        for port in ports where areReceiversStale || blocked.contains(port.id) { updateReceiver(port) }
        if refresh.take(.latencies) { reviewLatencies() }
        if arePortsStale { updateStates(of: blocked) }
        if refresh.take(.sourceReaders) { broadcastSources() }
        if refresh.take(.graphReaders), context.graphReaders.hasReaders { context.graphReaders.send(model.snapshot) }
    }

    /// The part of the ports at once: a port has come, or a connection stays that was to go.
    func refreshPorts() {
        guard isOpen, !ports.isEmpty else { return }
        let blocked = guardPorts()
        for port in ports where blocked.contains(port.id) { updateReceiver(port) }
        updateStates(of: blocked)
    }

    /// - Returns: the ports of which other lanes are blocked than before.
    private func guardPorts() -> Set<GraphPort.ID> {
        let snapshot = model.snapshot
        let returns = model.forbiddenReturns
        return Set(ports.filter { guardPort(against: returns, at: $0, snapshot) }.map(\.id))
    }

    private func updateStates(of blocked: Set<GraphPort.ID>) {
        updateAllFollowers()
        let snapshot = model.snapshot
        let audible = model.audible
        for port in ports {
            let state = PortState(of: port.id, in: snapshot, heard: audible)
            let isAnother = state != port.state
            guard isAnother || blocked.contains(port.id) else { continue }
            port.state = state
            port.publishConnections()
            if port.receiver != nil { markStale(.sourceReaders) }
            if isAnother { port.streams.states.send(state) }
        }
        surroundings = Surroundings(of: ports.map(\.nodeID), in: model.reducer)
    }
}
