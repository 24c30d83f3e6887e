// SPDX-License-Identifier: MIT

/// Whether a receiver's mix is played without a monitor of its own.
extension GraphSnapshot {
    /// Whether a receiver that monitors automatically has to play its mix on a device: whether it is not heard already.
    ///
    /// It is heard already in these cases:
    ///
    /// * a sender of its app that follows the receiver is played;
    /// * each source is played on a path that does not go through the receiver, with all its channels.
    ///
    /// It must not be played if the device's own sound comes to the receiver, on a path through any nodes: that would be a
    /// feedback loop.
    ///
    /// - Parameter monitor: the sender that plays the mix.
    package func needsMonitor(
        _ receiver: GraphPort.ID, playedBy monitor: GraphPort.ID, on device: GraphPort.ID
    ) -> Bool {
        guard let port = port(receiver) else { return false }
        if mayComeTo(port, from: device) { return false }
        let isPassedOn = ports.contains {
            $0.id != monitor && $0.kind == .sender && $0.peer == port.peer && $0.followedReceiver == port.name
                && reachesListener($0.id) == .yes
        }
        if isPassedOn { return false }
        let sources = sources(of: receiver)
        let others = wholeConnections(exceptTo: receiver)
        return sources.isEmpty || !sources.allSatisfy { others.isHeard($0.id, withoutYoungerMonitorsThan: receiver) }
    }

    /// Whether a port's sound is played, apart from receivers that monitor automatically and are younger. Of two that
    /// have the same sources the older one plays.
    private func isHeard(_ source: GraphPort.ID, withoutYoungerMonitorsThan receiver: GraphPort.ID) -> Bool {
        reached(from: source, .downstream, through: \.isTransparent).contains { port in
            port.isOutputDevice
                || port.isMonitoring && !(port.isMonitoringAutomatically && port.id > receiver)
        }
    }

    /// The graph without the connections to a port, and without those that lack links: what comes over them is not all.
    private func wholeConnections(exceptTo destination: GraphPort.ID) -> GraphSnapshot {
        without(
            connections.filter { connection in
                let (present, expected) = linkCount(of: connection)
                return connection.destination == destination || present < expected ?? 0
            })
    }

    /// Whether a port's sound may come to a receiver, through any nodes, and through senders that follow a receiver.
    private func mayComeTo(_ receiver: GraphPort, from origin: GraphPort.ID) -> Bool {
        var seen: Set<GraphPort.ID> = []
        var next = sources(of: receiver.id)
        while let port = next.popLast() {
            guard seen.insert(port.id).inserted else { continue }
            if port.id == origin { return true }
            // A device plays its input, and passes it on to nobody but its monitors.
            if port.mayPassOn { next += sources(of: port.id) }
            if let name = port.followedReceiver {
                let followed = ports.filter { $0.peer == port.peer && $0.kind == .receiver && $0.name == name }
                next += followed.flatMap { sources(of: $0.id) }
            }
        }
        return false
    }
}
