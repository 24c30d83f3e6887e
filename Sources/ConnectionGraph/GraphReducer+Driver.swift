// SPDX-License-Identifier: MIT

extension GraphReducer {
    /// The nodes that can drive the graph: devices, and drivers that stand for one.
    package var drivers: [UInt32] { nodes.filter { $0.value.properties["node.driver"] == "true" }.map(\.key) }

    package var hasDriver: Bool { !drivers.isEmpty }

    /// The name of a node for people, also of one that is no port, such as a driver; `nil` if there is no such node.
    package func title(ofNode id: UInt32) -> String? {
        guard let properties = nodes[id]?.properties else { return nil }
        let title = properties.text("node.description") ?? properties.text("node.nick") ?? properties.text("node.name")
        return title.map(\.printable)
    }
}
