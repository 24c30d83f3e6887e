// SPDX-License-Identifier: MIT
import ConnectionGraph

/// A boolean that an app declares for a port and publishes in the graph.
struct PortFlag {
    /// The name of the node's property.
    let property: String
    let declaration: any WritableKeyPath<PortDeclaration, Bool> & Sendable

    static let isMonitoring = PortFlag(property: PipeBusProperty.monitors, declaration: \.isMonitoring)
    static let isLiveSource = PortFlag(property: PipeBusProperty.isLive, declaration: \.isLiveSource)
    static let isBypassed = PortFlag(property: PipeBusProperty.isBypassed, declaration: \.isBypassed)

    /// Every flag: those that are set come into the graph with the port.
    static let all = [isMonitoring, isLiveSource, isBypassed]
}
