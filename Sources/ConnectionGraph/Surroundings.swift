// SPDX-License-Identifier: MIT

/// The part of the graph that some ports depend on: upstream, downstream, and the nodes that decide what is heard.
/// Pure.
///
/// A change elsewhere does not concern the ports.
///
/// | of | belongs to it |
/// | --- | --- |
/// | the ports themselves | everything upstream and everything downstream |
/// | a PipeBus node downstream | everything upstream of it: a connection that brings an app its own sound is silenced |
/// | a sender that follows a receiver | that receiver, and what is upstream of it |
/// | a foreign node | the nodes of its link group: one gives what another takes |
package struct Surroundings: Sendable, Equatable {
    /// Nodes whose sound may come to the ports, or that decide what is heard of it; by global ids.
    private var upstream: Set<UInt32> = []
    /// Nodes that the ports' sound may come to.
    private var downstream: Set<UInt32> = []
    /// Apps of the upstream and downstream nodes.
    private var clients: Set<UInt32> = []

    package init() {}

    /// - Parameter nodes: the ports, by the global ids of their nodes.
    package init(of nodes: some Sequence<UInt32>, in graph: GraphReducer) {
        let own = Set(nodes)
        downstream = graph.reached(from: own, upstream: false)
        upstream = graph.reached(
            from: own.union(downstream.filter { graph.isPipeBus(node: $0) }), upstream: true)
        clients = Set(upstream.union(downstream).compactMap { graph.client(ofNode: $0) })
    }

    /// Whether an event may concern the ports.
    ///
    /// - Parameter graph: after the event if it adds or changes an object; before it if it removes one.
    package func concerns(_ event: GraphEvent, in graph: GraphReducer) -> Bool {
        switch event {
        case .added(let id, _, _), .properties(let id, _), .removed(let id):
            if upstream.contains(id) || downstream.contains(id) || clients.contains(id) { return true }
            if let ends = graph.ends(ofLink: id) {
                return graph.node(ofChannel: ends.input).map(upstream.contains) ?? false
                    || graph.node(ofChannel: ends.output).map(downstream.contains) ?? false
            }
            guard let node = graph.node(ofChannel: id) else { return false }
            return upstream.contains(node) || downstream.contains(node)
        }
    }
}

extension GraphReducer {
    /// Some nodes and all nodes upstream, or downstream, of them.
    fileprivate func reached(from starts: Set<UInt32>, upstream: Bool) -> Set<UInt32> {
        var found: Set<UInt32> = []
        var waiting = Array(starts)
        while let next = waiting.popLast() {
            guard found.insert(next).inserted else { continue }
            waiting += neighbours(of: next, upstream: upstream)
            waiting += linkGroupMembers(of: next)
            if upstream { waiting += followedReceivers(of: next) }
        }
        return found
    }

    fileprivate func isPipeBus(node: UInt32) -> Bool { nodes[node]?.properties[PipeBusProperty.kind] != nil }

    fileprivate func client(ofNode node: UInt32) -> UInt32? { nodes[node]?.properties.id("client.id") }

    private func linkGroupMembers(of node: UInt32) -> [UInt32] {
        guard let group = nodes[node]?.linkGroup else { return [] }
        return nodes.compactMap { id, other in other.linkGroup == group ? id : nil }
    }

    private func followedReceivers(of node: UInt32) -> [UInt32] {
        guard let name = nodes[node]?.properties[PipeBusProperty.follows], let client = client(ofNode: node) else {
            return []
        }
        return nodes.compactMap { id, other in
            other.properties[PipeBusProperty.name] == name && self.client(ofNode: id) == client ? id : nil
        }
    }
}
