// SPDX-License-Identifier: MIT
import ConnectionGraph

/// A port that sends sound made by this app.
///
/// - Thread: any.
/// - Realtime: unsafe, see ``LocalPort``.
public final class SenderPort: LocalPort, @unchecked Sendable {
    /// Channels of the output.
    public let channels: ChannelLayout
    /// The age of the sound when the block gives it. A sender that follows a receiver has the present value. In a live one with
    /// blocks of a fixed size, the time by which they are made ahead is included.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block keeps a copy in its state.
    public var latency: Latency { handle.ownLatency }

    /// The writer of a sender without a block.
    let writers: WriterTable?

    init(_ handle: PortHandle, of client: BusClient, channels: ChannelLayout, writers: WriterTable? = nil) {
        self.channels = channels
        self.writers = writers
        super.init(handle, kind: .sender, of: client)
    }

    /// Changes the latency, and publishes it in the graph. Receivers realign the sound, with a crossfade.
    ///
    /// When the call returns, the daemon has the value and has notified the connected peers.
    ///
    /// - Parameter latency: frames at the graph's rate, 0…1 048 576, or ``PortLatency/following(_:plus:)`` with a
    ///   receiver that the port was declared to run after.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `connectionLost`, `closed` or `timedOut`.
    public func setLatency(_ latency: PortLatency) async throws { try await client.setLatency(latency, of: handle) }

    /// Publishes whether the sound is recorded while it is sent, as from a microphone.
    ///
    /// An app that plays it near the microphone can warn of acoustic feedback, or not monitor it at first:
    /// ``Source/isFromLiveSource``.
    ///
    /// When the call returns, the graph shows the change, and the daemon has notified the connected peers.
    ///
    /// - Throws: ``PipeBusError`` `closed`, `connectionLost`, `pipeWire` or `timedOut`.
    public func setFromLiveSource(_ isFromLiveSource: Bool) async throws {
        try await client.set(.isLiveSource, to: isFromLiveSource, of: handle)
    }
}
