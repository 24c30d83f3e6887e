// SPDX-License-Identifier: MIT

/// The node properties by which PipeBus apps know each other's ports. Other tools see and may ignore them.
package enum PipeBusProperty {
    /// "sender", "filter" or "receiver".
    package static let kind = "pipebus.port.kind"
    /// The port's name within its app.
    package static let name = "pipebus.port.name"
    /// Its place in the order in which the app added its ports, from 0.
    package static let order = "pipebus.port.order"
    /// Channels of one lane.
    package static let laneWidth = "pipebus.lane.width"
    /// Version of what these properties mean.
    package static let protocolVersion = "pipebus.protocol"
}
