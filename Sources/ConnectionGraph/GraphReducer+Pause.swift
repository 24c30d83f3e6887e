// SPDX-License-Identifier: MIT

extension GraphReducer {
    /// Whether the daemon has a reason to run a node: a link, or a property. Nodes of one group run together.
    package func hasReasonToRun(node id: UInt32) -> Bool {
        guard let node = nodes[id] else { return false }
        let linked = Set(links.values.flatMap { [self.node(ofPort: $0.output), self.node(ofPort: $0.input)] })
        return nodes.contains { other, object in
            (other == id || object.isInGroup(of: node)) && (object.alwaysRuns || linked.contains(other))
        }
    }

    /// A link that only keeps an order makes no node run.
    private func node(ofPort id: UInt32) -> UInt32? {
        node(ofChannel: id) ?? otherChannels[id].flatMap { $0.isOrder ? nil : $0.node }
    }
}

extension GraphReducer.Object {
    fileprivate var alwaysRuns: Bool { properties["node.always-process"] == "true" }

    fileprivate func isInGroup(of other: GraphReducer.Object) -> Bool {
        ["node.group", "node.link-group"].contains { key in
            properties[key].map { !$0.isEmpty && $0 == other.properties[key] } ?? false
        }
    }
}
