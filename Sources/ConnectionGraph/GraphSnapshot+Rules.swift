// SPDX-License-Identifier: MIT

/// Rules about who hears what. They look through filters made with PipeBus, which are known to pass their input on.
///
/// For any other node this is not known: behind it the answer is ``Certainty/unknown``.
extension GraphSnapshot {
    // MARK: Listening

    /// Whether a port's sound is known to be played downstream: by an output device, or by a PipeBus receiver that is
    /// monitoring.
    ///
    /// ``Certainty/unknown`` where the sound goes into a node that was not made with PipeBus. A connection that is
    /// silenced because it brings an app its own sound plays nothing.
    public func isPlayed(_ port: GraphPort.ID) -> Certainty {
        withoutSilenced(by: forbiddenReturns()).reachesListener(port)
    }

    /// Whether a port's sound would be played downstream if no connection were silenced.
    package func reachesListener(_ port: GraphPort.ID) -> Certainty {
        let reached = reached(from: port, .downstream, through: \.isTransparent)
        if reached.contains(where: { $0.isOutputDevice || $0.isMonitoring }) { return .yes }
        return reached.contains { !$0.isPipeBus } ? .unknown : .no
    }

    // MARK: Connections of an app to itself

    /// Whether two PipeBus ports belong to one app.
    ///
    /// They do if they are of one client, of two clients in one process, or of two processes of one application id that
    /// both declare themselves one app. The daemon takes a process's id from its socket.
    public func isOneApp(_ first: GraphPort, _ second: GraphPort) -> Bool {
        let keys = appKeys(of: first)
        return !keys.isEmpty && appKeys(of: second).contains(where: keys.contains)
    }

    /// Whether a port's sound comes back to its app, or its input came from its app.
    public func isConnectedToSelf(_ id: GraphPort.ID) -> Certainty {
        guard let port = port(id), port.isPipeBus else { return .no }
        return max(returns(to: port, .downstream), returns(to: port, .upstream))
    }

    private func returns(to port: GraphPort, _ direction: Direction) -> Certainty {
        let isOwn = { (other: GraphPort) in self.isOneApp(port, other) }
        if reached(from: port.id, direction, through: \.isTransparent).contains(where: isOwn) { return .yes }
        return reached(from: port.id, direction, through: \.mayPassOn).contains(where: isOwn) ? .unknown : .no
    }

    /// Whether the sound of a connection came from the app that the connection goes to.
    public func isReturn(_ source: GraphPort.ID, to destination: GraphPort.ID) -> Certainty {
        isReturning(source, to: destination, from: isOneApp)
    }

    /// ``isReturn(_:to:)``, if one of the two ports does not allow it; ``Certainty/no`` otherwise.
    package func isForbiddenReturn(_ source: GraphPort.ID, to destination: GraphPort.ID) -> Certainty {
        isReturning(source, to: destination, from: mayNotConnect)
    }

    private func isReturning(
        _ source: GraphPort.ID, to destination: GraphPort.ID, from isOrigin: (GraphPort, GraphPort) -> Bool
    ) -> Certainty {
        guard let source = port(source), let destination = port(destination), destination.isPipeBus else {
            return .no
        }
        if reachablePorts(through: source, .upstream, \.isTransparent).contains(where: { isOrigin($0, destination) }) {
            return .yes
        }
        let all = reachablePorts(through: source, .upstream, \.mayPassOn)
        return all.contains { isOrigin($0, destination) } ? .unknown : .no
    }

    /// Two ports of one app that a new connection would connect, directly or through PipeBus filters, although one of
    /// them does not allow it. `nil` if there are none.
    ///
    /// - Complexity: O(*n* + *m*) in the number of ports and of connections.
    package func selfConnection(
        from source: GraphPort, to destination: GraphPort
    ) -> (source: GraphPort, destination: GraphPort)? {
        let ends = reachablePorts(through: destination, .downstream, \.isTransparent)
        /// The nearest end with each key, and the nearest of those that allow no connection to their app.
        var nearest: [AppKey: Int] = [:]
        var nearestStrict: [AppKey: Int] = [:]
        for (place, end) in ends.enumerated() {
            for key in appKeys(of: end) {
                if nearest[key] == nil { nearest[key] = place }
                if !end.allowsConnectionsToSelf, nearestStrict[key] == nil { nearestStrict[key] = place }
            }
        }
        for begin in reachablePorts(through: source, .upstream, \.isTransparent) {
            let forbidden = begin.allowsConnectionsToSelf ? nearestStrict : nearest
            if let place = appKeys(of: begin).compactMap({ forbidden[$0] }).min() { return (begin, ends[place]) }
        }
        return nil
    }

    // MARK: Forbidden connections

    /// The connections that bring an app its own sound although this is not allowed, youngest first. Each is removed,
    /// or silenced, by the app that it goes to.
    ///
    /// Where filters of several apps form a loop, each of them hears itself, and every connection of the loop is a
    /// candidate. All apps choose the youngest, so they choose the same one, and the older connections stay.
    ///
    /// - Complexity: O(*n* + *m*) in the number of PipeBus ports and of the connections between them if there are none; once more at
    ///   most for each further candidate.
    package func forbiddenReturns() -> [Connection] {
        var search = ReturnSearch(self)
        return search.returns()
    }

    /// The graph without the connections that such returns silence: the returns, and the other connections of the same
    /// lane or filter.
    package func withoutSilenced(by returns: [Connection]) -> GraphSnapshot {
        var silent: [GraphPort.ID: Set<Int>] = [:]
        for connection in returns {
            silent[connection.destination, default: []].formUnion(lanes(of: connection))
        }
        return without(
            silent.flatMap { destination, lanes in
                connections(to: destination).filter { lanes.isSuperset(of: self.lanes(of: $0)) }
            })
    }

    private func lanes(of connection: Connection) -> Set<Int> {
        port(connection.destination)?.lanes(of: connection) ?? []
    }

    /// The graph after some ports have been connected.
    package func connecting(_ pairs: [(source: GraphPort.ID, destination: GraphPort.ID)]) -> GraphSnapshot {
        var new = store
        for pair in pairs where connection(from: pair.source, to: pair.destination) == nil {
            new.set(Connection(source: pair.source, destination: pair.destination, links: []))
        }
        return GraphSnapshot(revision: revision, store: new)
    }

    /// The graph after some connections have been removed.
    func without(_ connections: [Connection]) -> GraphSnapshot {
        guard !connections.isEmpty else { return self }
        var rest = store
        for connection in connections { rest.remove(connection) }
        return GraphSnapshot(revision: revision, store: rest)
    }

    private func mayNotConnect(_ source: GraphPort, _ destination: GraphPort) -> Bool {
        isOneApp(source, destination)
            && !(source.allowsConnectionsToSelf && destination.allowsConnectionsToSelf)
    }

    /// A port, and the ports behind it if a path leads through it.
    private func reachablePorts(through port: GraphPort, _ direction: Direction, _ passes: (GraphPort) -> Bool)
        -> [GraphPort]
    {
        passes(port) ? [port] + reached(from: port.id, direction, through: passes) : [port]
    }
}
