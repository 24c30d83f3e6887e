// SPDX-License-Identifier: MIT
public import ConnectionGraph
import RealtimeKit

/// A source in a receiver's process block.
///
/// - Thread: audio. A value; it may be kept.
/// - Realtime: safe.
public struct ReceivedSource: Sendable, Hashable {
    /// The source's port in the graph; of several on one lane, the first.
    public let id: GraphPort.ID
    /// Incremented with every source that is connected to the lane. A new value means another source, or the same
    /// source after a reconnection. ``Source/sourceGeneration`` is the same number.
    public let sourceGeneration: UInt64
    /// The time at which the first frame of this cycle's sound was made.
    public let timestamp: Timestamp
    /// The age of the sound when it is handed over, its delay in the receiver included. ``timestamp`` plus this age is
    /// the cycle's own time.
    public let age: Latency
    /// The app's number for the source, set with ``ReceiverPort/setTag(_:for:)``; 0 by default.
    public let tag: UInt64
    /// 1 for a mono source that is linked to all channels of the lane; the lane's channels otherwise. Until its last link is there, a
    /// mono source counts as one of all channels.
    public let channelCount: Int
    /// Whether the source shares its timestamp with all other aligned sources.
    public let isAligned: Bool
    /// Whether the source's latency is known only as a range. The upper bound counts.
    public let isLatencyUncertain: Bool
    /// Whether several ports are linked to the lane. Only their sum can be received.
    public let isShared: Bool
    /// Whether the source is still connected. It is false while the rest of a disconnected source's sound comes out of
    /// the delay line. It stays true while the source hangs and is to be connected again (``Source/isStalled``).
    public let isConnected: Bool
    /// Whether a connected source gave nothing in this cycle: its app missed the cycle (an xrun) or hangs, or its link is being
    /// made or removed.
    ///
    /// | delay of the source | samples of this cycle |
    /// | --- | --- |
    /// | none | silence, or the fade of the last sound |
    /// | some | the sound of earlier cycles; the gap comes out when the delay has passed |
    public let isMissing: Bool

    @_noLocks
    init(_ settings: Cell<LaneSettings>, _ cycle: AudioCycle, delay: Int, hasArrived: Bool) {
        id = GraphPort.ID(serial: settings.value.source)
        sourceGeneration = settings.value.sourceGeneration
        let latency = settings.value.latency + delay
        age = Latency(frames: latency, sampleRate: cycle.sampleRate)
        tag = settings.value.tag
        timestamp = Timestamp(cycle, latency: latency)
        channelCount = settings.value.channelCount
        isAligned = settings.value.isAligned
        isLatencyUncertain = settings.value.isLatencyUncertain
        isShared = settings.value.isShared
        isConnected = settings.value.isHeard
        isMissing = settings.value.isHeard && !hasArrived
    }
}
