// SPDX-License-Identifier: MIT
public import ConnectionGraph

/// Takes sound and gives other sound for it, in the same graph cycle.
///
/// - Thread: any.
public final class FilterPort: LocalPort {
    public let client: BusClient
    public let name: String
    public let nodeName: String
    public let id: GraphPort.ID
    /// Channels it takes.
    public let inputs: ChannelLayout
    /// Channels it gives.
    public let outputs: ChannelLayout
    /// How much later the sound comes out than it went in, in frames at the graph's rate.
    public let latency: Int

    let status: SharedStatus

    init(_ node: LocalNode.Identity, inputs: ChannelLayout, outputs: ChannelLayout, latency: Int) {
        client = node.client
        name = node.name
        nodeName = node.nodeName
        id = node.id
        status = node.status
        self.inputs = inputs
        self.outputs = outputs
        self.latency = latency
    }

    public var kind: PortKind { .filter }
}
