// SPDX-License-Identifier: MIT

extension GraphReducer {
    /// Whether any node can drive the graph: a device, or a driver that stands for one.
    package var hasDriver: Bool { nodes.values.contains { $0.properties["node.driver"] == "true" } }

    /// The name of a node for people, also of one that is no port, such as a driver; `nil` if there is no such node.
    package func title(ofNode id: UInt32) -> String? {
        guard let properties = nodes[id]?.properties else { return nil }
        let title = properties.text("node.description") ?? properties.text("node.nick") ?? properties.text("node.name")
        return title.map(\.printable)
    }
}
