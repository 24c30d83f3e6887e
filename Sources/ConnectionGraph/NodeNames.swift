// SPDX-License-Identifier: MIT

/// The nodes of each name, so that a node is found without a search.
struct NodeNames: Sendable {
    private var nodes: [String: Set<UInt32>] = [:]

    var isEmpty: Bool { nodes.isEmpty }

    func contains(_ name: String) -> Bool { nodes[name] != nil }

    mutating func add(_ node: GraphReducer.Object, id: UInt32) {
        nodes[node.nodeName(id: id), default: []].insert(id)
    }

    mutating func remove(_ node: GraphReducer.Object, id: UInt32) {
        let name = node.nodeName(id: id)
        nodes[name]?.remove(id)
        if nodes[name]?.isEmpty == true { nodes[name] = nil }
    }

    /// Takes over another name, if the node has one now.
    mutating func update(_ node: GraphReducer.Object, to new: GraphReducer.Object, id: UInt32) {
        guard node.properties[GraphReducer.Object.nameKey] != new.properties[GraphReducer.Object.nameKey] else {
            return
        }
        remove(node, id: id)
        add(new, id: id)
    }
}

extension GraphReducer.Object {
    static let nameKey = "node.name"

    /// The name of a node as people see it.
    func nodeName(id: UInt32) -> String { properties.text(Self.nameKey) ?? Self.substituteName(ofNode: id) }

    /// What a node without a name is called.
    static func substituteName(ofNode id: UInt32) -> String { "node \(id)" }
}
