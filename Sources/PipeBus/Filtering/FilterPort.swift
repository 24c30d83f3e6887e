// SPDX-License-Identifier: MIT
import ConnectionGraph

/// A port that processes sound: its output is made from its input in the same graph cycle, unless that waits for a full block
/// (`blockSize:`) or for an auxiliary input.
///
/// - Thread: any.
/// - Realtime: unsafe, see ``LocalPort``.
public final class FilterPort: LocalPort, @unchecked Sendable {
    /// Channels of the input.
    public let inputs: ChannelLayout
    /// Channels of the output.
    public let outputs: ChannelLayout
    /// The receivers of the auxiliary inputs, in the order in which they were declared. They are closed with the filter.
    public let auxiliaryInputs: [ReceiverPort]
    /// The delay between the filter's input and its output. In a filter with blocks of a fixed size, the present delay of gathering
    /// them is included; so is the time for which the input waits for auxiliary inputs.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block keeps a copy in its state.
    public var latency: Latency { handle.ownLatency }

    init(
        _ handle: PortHandle, of client: BusClient, inputs: ChannelLayout, outputs: ChannelLayout,
        auxiliaryInputs: [ReceiverPort] = []
    ) {
        self.auxiliaryInputs = auxiliaryInputs
        self.inputs = inputs
        self.outputs = outputs
        super.init(handle, kind: .filter, of: client)
    }

    /// Changes the latency, and publishes it in the graph. Receivers realign the sound, with a crossfade.
    ///
    /// When the call returns, the daemon has the value and has notified the connected peers.
    ///
    /// - Parameter frames: frames at the graph's rate, 0…1 048 576.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `connectionLost`, `closed` or `timedOut`.
    public func setLatency(_ frames: Int) async throws { try await client.setLatency(.frames(frames), of: handle) }

    /// Whether the filter is bypassed: its output is its input, delayed by its ``latency``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``.
    public var isBypassed: Bool { handle.status.value.has(.isBypassed) }

    /// Starts or ends the bypass of the filter. A bypassed filter passes its input on in place of the block's sound.
    ///
    /// The latency does not change. The output is crossfaded along a raised cosine, within 10 ms, as soon as the new
    /// sound is whole; that is when the latency has passed. The block is called during the crossfade, and not while the
    /// filter is bypassed. Its next cycle after a bypass is discontinuous: any sound in its state is old.
    ///
    /// The path of the channels, where the filter has other channels out than in:
    ///
    /// | inputs | outputs | path |
    /// | --- | --- | --- |
    /// | one | several | the input to every output |
    /// | several | one | the mean of all inputs |
    /// | several | several | each input to the output of its number |
    ///
    /// When the call returns, the graph and ``PortState/isBypassed`` show the change, and the daemon has notified the
    /// connected peers. The sound follows by itself.
    ///
    /// - Throws: ``PipeBusError`` `closed`; `connectionLost` or `pipeWire`, and the bypass is unchanged for everybody;
    ///   `timedOut` if the daemon does not answer, and the change is made although the peers may not know it.
    public func setBypassed(_ isBypassed: Bool) async throws {
        try await client.setBypassed(isBypassed, of: handle)
    }
}
