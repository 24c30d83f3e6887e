// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Offers sound that this app makes.
///
/// - Thread: any.
public final class SenderPort: LocalPort, @unchecked Sendable {
    /// Channels it gives.
    public let channels: ChannelLayout
    /// How old the sound is when the block gives it. Of a sender that follows a receiver, as it is now.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; what a process block needs of it belongs into its state.
    public var latency: Latency { handle.ownLatency }

    init(_ handle: PortHandle, of client: BusClient, channels: ChannelLayout) {
        self.channels = channels
        super.init(handle, kind: .sender, of: client)
    }

    /// Changes the latency, and publishes it in the graph. Receivers align the sound again, with a crossfade.
    ///
    /// When it returns the daemon knows, and has notified the peers that are connected.
    ///
    /// - Parameter latency: frames at the graph's rate, 0…1 048 576, or ``PortLatency/following(_:plus:)`` with a receiver
    ///   that the port was made to run after.
    /// - Throws: ``PipeBusError`` `invalidArgument`, `connectionLost`, `closed` or `timedOut`.
    public func setLatency(_ latency: PortLatency) async throws { try await client.setLatency(latency, of: handle) }

    /// Says whether the sound is being recorded while it is given, as from a microphone. Whoever plays it near there can
    /// warn of howling, or not monitor it at first: ``Source/isFromLiveSource``.
    ///
    /// When it returns the graph shows it, and the daemon has notified the peers that are connected.
    ///
    /// - Throws: ``PipeBusError`` `closed`, `connectionLost`, `pipeWire` or `timedOut`.
    public func setFromLiveSource(_ isFromLiveSource: Bool) async throws {
        try await client.setFromLiveSource(isFromLiveSource, of: handle)
    }
}
