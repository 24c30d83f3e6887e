// SPDX-License-Identifier: MIT
import ConnectionGraph

/// A yes or no that an app says of a port, and that everybody in the graph sees.
struct PortFlag {
    /// The node's property.
    let property: String
    let declaration: any WritableKeyPath<PortDeclaration, Bool> & Sendable

    static let isMonitoring = PortFlag(property: PipeBusProperty.monitors, declaration: \.isMonitoring)
    static let isLiveSource = PortFlag(property: PipeBusProperty.isLive, declaration: \.isLiveSource)
    static let isBypassed = PortFlag(property: PipeBusProperty.isBypassed, declaration: \.isBypassed)
}
