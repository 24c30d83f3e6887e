// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Brings everything up to date that follows from the graph: one job, in one order.
extension DaemonSession {
    /// Brings all stale parts up to date. Each step uses the results of the steps before it.
    ///
    /// 1. Forbidden connections are removed or silenced: they must be heard as briefly as possible.
    /// 2. Receivers, whose latency senders follow.
    /// 3. Latencies in loops.
    /// 4. States of ports.
    /// 5. Readers of levels, of sources and of the graph.
    /// 6. What is remembered of other programs' connections, and of sources that hung.
    /// 7. Monitors of receivers.
    func bringUpToDate() {
        guard connection.isOpen else { return }
        let arePortsStale = refresh.take(.ports) && !ports.isEmpty
        let blocked = arePortsStale ? guardPorts() : []
        let areReceiversStale = refresh.take(.receivers)
        for port in ports where areReceiversStale || blocked.contains(port.id) { receivers.update(port) }
        if refresh.take(.latencies) { corrector.correct() }
        if arePortsStale { updateStates(of: blocked) }
        if refresh.take(.sharedLevels) { for port in ports { levelSharing.publish(port) } }
        if refresh.take(.sourceReaders) { sources.broadcast() }
        if refresh.take(.graphReaders), graphReaders.hasReaders { graphReaders.send(model.snapshot) }
        if refresh.take(.foreignConnections) { foreignConnections.update() }
        if arePortsStale, !declared.stalls.isEmpty { restoredSources.update() }
        if refresh.take(.monitors) { monitors.update() }
    }

    /// Brings the ports up to date at once, because a port has appeared or the removal of a link has failed.
    func refreshPorts() {
        guard connection.isOpen, !ports.isEmpty else { return }
        let blocked = guardPorts()
        for port in ports where blocked.contains(port.id) { receivers.update(port) }
        updateStates(of: blocked)
    }

    /// Removes or silences forbidden connections at all ports.
    ///
    /// - Returns: the ports whose blocked lanes have changed.
    private func guardPorts() -> Set<GraphPort.ID> { Set(ports.filter { selfConnections.check($0) }.map(\.id)) }

    private func updateStates(of blocked: Set<GraphPort.ID>) {
        ownLatencies.updateAllFollowers()
        let snapshot = model.snapshot
        let audible = model.audible
        for port in ports {
            let state = PortState(of: port.id, in: snapshot, heard: audible)
            let hasChanged = port.setState(state)
            guard hasChanged || blocked.contains(port.id) else { continue }
            port.publishStatus()
            if port.receiver != nil { refresh.mark(.sourceReaders) }
            if hasChanged { port.streams.states.send(state) }
        }
        model.watchSurroundings(of: ports.map(\.nodeID))
    }

    /// The present state of a port's connections.
    func state(of port: LivePort) -> PortState { PortState(of: port.id, in: model.snapshot, heard: model.audible) }
}
