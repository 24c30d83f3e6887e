// SPDX-License-Identifier: MIT

extension GraphReducer {
    /// Whether any node can drive the graph: a device, or a driver that stands for one.
    package var hasDriver: Bool { nodes.values.contains { $0.properties["node.driver"] == "true" } }
}
