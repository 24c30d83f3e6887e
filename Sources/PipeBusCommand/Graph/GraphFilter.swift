// SPDX-License-Identifier: MIT
import PipeBus

/// The part of a graph that a name stands for. Pure.
enum GraphFilter {
    /// The ports whose app, unique name or title contains a text, in upper or lower case, with all ports upstream and
    /// downstream of them. Empty if there are none.
    static func ports(matching text: String, in graph: GraphSnapshot) -> Set<GraphPort.ID> {
        let wanted = text.lowercased()
        let matching = graph.ports.filter { port in
            let peer = graph.peer(of: port)
            return [graph.uniqueName(of: port), port.title, port.nodeName, peer?.name, peer?.applicationID]
                .contains { $0?.lowercased().contains(wanted) == true }
        }
        return matching.reduce(into: Set(matching.map(\.id))) { shown, port in
            shown.formUnion(graph.sourcesRecursive(of: port.id).map(\.id))
            shown.formUnion(graph.destinationsRecursive(of: port.id).map(\.id))
        }
    }
}
