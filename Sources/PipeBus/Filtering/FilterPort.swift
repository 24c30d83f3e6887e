// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Takes sound and gives other sound for it, in the same graph cycle.
///
/// - Thread: any.
public final class FilterPort: LocalPort, @unchecked Sendable {
    /// Channels it takes.
    public let inputs: ChannelLayout
    /// Channels it gives.
    public let outputs: ChannelLayout
    /// How much later the sound comes out than it went in.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; what a process block needs of it belongs into its state.
    public var latency: Latency { handle.ownLatency }

    init(_ handle: PortHandle, of client: BusClient, inputs: ChannelLayout, outputs: ChannelLayout) {
        self.inputs = inputs
        self.outputs = outputs
        super.init(handle, kind: .filter, of: client)
    }

    /// Changes the latency, and publishes it in the graph. Receivers align the sound again, with a crossfade.
    ///
    /// When it returns the daemon knows, and has notified the peers that are connected.
    ///
    /// - Parameter frames: at the graph's rate, 0…1 048 576.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `connectionLost`, `closed` or `timedOut`.
    public func setLatency(_ frames: Int) async throws { try await client.setLatency(.frames(frames), of: handle) }

    /// The filter gives what it takes, as late as its ``latency`` says.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``.
    public var isBypassed: Bool { handle.status.value.has(.isBypassed) }

    /// Passes on what comes, instead of what the block makes of it, or ends that. The latency stays as it is. One is faded
    /// over to the other within 10 ms, along a raised cosine, once the other is whole, which it is when the latency has
    /// passed. Meanwhile the block is called; then it is not any more, and when it is again its first cycle is
    /// discontinuous: what it remembers of the sound is of long ago.
    ///
    /// With other channels out than in: what comes in on one goes out on all, what comes in on several goes out on one as
    /// their mean, and else each goes out on that of its number.
    ///
    /// When it returns the graph shows it, and so does ``PortState/isBypassed``; the daemon has notified the peers that are
    /// connected. The sound follows by itself.
    ///
    /// - Throws: ``PipeBusError`` `closed`, `connectionLost` or `pipeWire`: then it is as it was, for everybody; `timedOut`
    ///   when the daemon does not answer: it is done all the same, and nobody may know.
    public func setBypassed(_ isBypassed: Bool) async throws {
        try await client.setBypassed(isBypassed, of: handle)
    }
}
