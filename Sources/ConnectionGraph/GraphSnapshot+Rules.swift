// SPDX-License-Identifier: MIT

/// Rules that decide something. They look through filters made with PipeBus, of which we know that they give what they
/// take; of other nodes nobody knows, so behind them the answer is ``Certainty/unknown``.
extension GraphSnapshot {
    // MARK: Who hears it

    /// Whether somebody downstream is known to play what a port gives: an output device, or a PipeBus receiver that
    /// announces that it monitors. ``Certainty/unknown`` where it goes into a node that was not made with PipeBus. What is
    /// silent because an app must not hear itself plays nothing.
    public func isPlayed(_ port: GraphPort.ID) -> Certainty {
        withoutSilenced(by: forbiddenReturns()).comesToListener(port)
    }

    /// The same in a graph where all that is connected is heard.
    package func comesToListener(_ port: GraphPort.ID) -> Certainty {
        let reached = reached(from: port, .downstream, through: \.isTransparent)
        if reached.contains(where: { $0.isOutputDevice || $0.isMonitoring }) { return .yes }
        return reached.contains { !$0.isPipeBus } ? .unknown : .no
    }

    // MARK: Connections of an app to itself

    /// Whether two ports were made with PipeBus by one app: by one client, by two in one process, or by two processes of
    /// one application id if both say that they are one app. A process is known by what the daemon saw at its socket.
    public func isOneApp(_ first: GraphPort, _ second: GraphPort) -> Bool {
        guard first.isPipeBus, second.isPipeBus, let one = peer(of: first), let other = peer(of: second) else {
            return false
        }
        if one.id == other.id { return true }
        if let process = one.processID, process == other.processID, !one.isEmulated, !other.isEmulated { return true }
        return first.isOneAppAcrossProcesses && second.isOneAppAcrossProcesses && one.applicationID != nil
            && one.applicationID == other.applicationID
    }

    /// Whether what a port gives comes back to its app, or what it takes came from its app.
    public func isConnectedToSelf(_ id: GraphPort.ID) -> Certainty {
        guard let port = port(id), port.isPipeBus else { return .no }
        return max(returns(to: port, .downstream), returns(to: port, .upstream))
    }

    private func returns(to port: GraphPort, _ direction: Direction) -> Certainty {
        let isOwn = { (other: GraphPort) in self.isOneApp(port, other) }
        if reached(from: port.id, direction, through: \.isTransparent).contains(where: isOwn) { return .yes }
        return reached(from: port.id, direction, through: \.mayPassOn).contains(where: isOwn) ? .unknown : .no
    }

    /// Whether what a connection brings came from the app that it brings it to.
    public func isReturn(_ source: GraphPort.ID, to destination: GraphPort.ID) -> Certainty {
        comesBack(source, to: destination, from: isOneApp)
    }

    /// The same, if one of the two ports does not allow it; ``Certainty/no`` otherwise.
    package func isForbiddenReturn(_ source: GraphPort.ID, to destination: GraphPort.ID) -> Certainty {
        comesBack(source, to: destination, from: mayNotConnect)
    }

    private func comesBack(
        _ source: GraphPort.ID, to destination: GraphPort.ID, from isOrigin: (GraphPort, GraphPort) -> Bool
    ) -> Certainty {
        guard let source = port(source), let destination = port(destination), destination.isPipeBus else {
            return .no
        }
        if ways(through: source, .upstream, \.isTransparent).contains(where: { isOrigin($0, destination) }) {
            return .yes
        }
        let all = ways(through: source, .upstream, \.mayPassOn)
        return all.contains { isOrigin($0, destination) } ? .unknown : .no
    }

    /// Two ports of one app that a new connection would connect, through PipeBus filters or straight, although one of
    /// them does not allow it; `nil` if there are none.
    package func selfConnection(
        from source: GraphPort, to destination: GraphPort
    ) -> (source: GraphPort, destination: GraphPort)? {
        let ends = ways(through: destination, .downstream, \.isTransparent)
        for begin in ways(through: source, .upstream, \.isTransparent) {
            if let end = ends.first(where: { mayNotConnect(begin, $0) }) { return (begin, end) }
        }
        return nil
    }

    // MARK: What must not be

    /// The connections that bring an app its own sound although that is not allowed, youngest first. Each is removed, or
    /// silenced, by the app that it goes to.
    ///
    /// Where filters of several apps are connected in a circle, each of them hears itself, and all connections could be
    /// blamed: it is the youngest that is, so that all apps find the same one, and what was there before stays.
    package func forbiddenReturns() -> [Connection] {
        var graph = self
        var found: [Connection] = []
        while let youngest = graph.allForbiddenReturns().max(by: { $0.youngestSerial < $1.youngestSerial }) {
            found.append(youngest)
            // What is silent because of it brings nothing back.
            graph = withoutSilenced(by: found)
        }
        return found
    }

    private func allForbiddenReturns() -> [Connection] {
        connections.filter { isForbiddenReturn($0.source, to: $0.destination) == .yes }
    }

    /// The graph without the connections that nothing comes through while such returns are there: themselves, and what
    /// comes to the same lane, or to the same filter.
    package func withoutSilenced(by returns: [Connection]) -> GraphSnapshot {
        guard !returns.isEmpty else { return self }
        var silent: [GraphPort.ID: Set<Int>] = [:]
        for connection in returns { silent[connection.destination, default: []].formUnion(lanes(of: connection)) }
        return replacing(
            connections: connections.filter { connection in
                guard let silent = silent[connection.destination] else { return true }
                return !silent.isSuperset(of: lanes(of: connection))
            })
    }

    private func lanes(of connection: Connection) -> Set<Int> {
        let width = max(port(connection.destination)?.laneWidth ?? 1, 1)
        return Set(connection.links.map { $0.input / width })
    }

    /// The graph as it will be when some ports are connected that are not yet.
    package func connecting(_ pairs: [(source: GraphPort.ID, destination: GraphPort.ID)]) -> GraphSnapshot {
        let new = pairs.map { Connection(source: $0.source, destination: $0.destination, links: []) }
        return new.isEmpty ? self : replacing(connections: connections + new)
    }

    private func replacing(connections: [Connection]) -> GraphSnapshot {
        replacing(connections: connections, revision: revision)
    }

    private func mayNotConnect(_ source: GraphPort, _ destination: GraphPort) -> Bool {
        isOneApp(source, destination)
            && !(source.allowsConnectionsToSelf && destination.allowsConnectionsToSelf)
    }

    /// A port, and what is behind it if a way leads through it.
    private func ways(through port: GraphPort, _ direction: Direction, _ passes: (GraphPort) -> Bool) -> [GraphPort] {
        passes(port) ? [port] + reached(from: port.id, direction, through: passes) : [port]
    }
}
