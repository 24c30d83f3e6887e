// SPDX-License-Identifier: MIT

/// Which connections of a graph are part of a loop: the answers of ``GraphSnapshot/wouldCloseLoop(from:to:)`` for those that are there,
/// all at once.
///
/// A connection is in a loop if the sound that enters its destination may leave its source.
package struct GraphLoops {
    private let places: [GraphPort.ID: Int]
    /// The components of inlets and outlets, through PipeBus filters alone, and through all that may pass sound on.
    private let known: StrongComponents
    private let possible: StrongComponents

    /// - Complexity: O(*n* + *m*) in the number of ports and of connections.
    init(_ graph: GraphSnapshot) {
        let ports = graph.ports
        places = Dictionary(uniqueKeysWithValues: ports.indices.lazy.map { (ports[$0].id, $0) })
        known = Self.components(of: graph, ports, places) { $0.isTransparent ? [$0.id] : [] }
        let followers = graph.followers
        possible = Self.components(of: graph, ports, places) { port in
            var outlets = port.mayPassOn ? [port.id] : []
            if port.isPipeBus, port.kind == .receiver, let peer = port.peer {
                outlets += (followers[GraphLists.FollowedReceiver(peer: peer, name: port.name)] ?? []).map(\.id)
            }
            return outlets
        }
    }

    /// A port is two nodes: its inlet, by an even number, and its outlet.
    private static func components(
        of graph: GraphSnapshot, _ ports: [GraphPort], _ places: [GraphPort.ID: Int],
        outlets: (GraphPort) -> [GraphPort.ID]
    ) -> StrongComponents {
        var targets: [Int] = []
        var first = [0]
        for port in ports {
            targets += outlets(port).compactMap { places[$0].map { 2 * $0 + 1 } }
            first.append(targets.count)
            targets += graph.connections(from: port.id).compactMap { places[$0.destination].map { 2 * $0 } }
            first.append(targets.count)
        }
        return StrongComponents(count: 2 * ports.count, edges: { first[$0]..<first[$0 + 1] }, targets: targets)
    }

    /// - Parameter connection: one of the graph.
    package func certainty(of connection: Connection) -> Certainty {
        guard let source = places[connection.source], let destination = places[connection.destination] else {
            return .no
        }
        let (outlet, inlet) = (2 * source + 1, 2 * destination)
        if known.component[outlet] == known.component[inlet] { return .yes }
        return possible.component[outlet] == possible.component[inlet] ? .unknown : .no
    }
}

extension GraphSnapshot {
    /// Which connections of sound are part of a loop.
    package var loops: GraphLoops { GraphLoops(self) }
}
