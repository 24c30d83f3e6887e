// SPDX-License-Identifier: MIT
public import ConnectionGraph
import RealtimeKit

/// A source as a receiver's process block sees it.
///
/// - Thread: audio. A value; it may be kept.
/// - Realtime: safe.
public struct ReceivedSource: Sendable, Hashable {
    /// The source's port in the graph; of several on one lane, the one that was there first.
    public let id: GraphPort.ID
    /// Grows with every source that comes to the lane: another number is another source, or the same one again.
    public let sourceGeneration: UInt64
    /// When the first frame of this cycle's sound was made.
    public let timestamp: Timestamp
    /// How old the sound is when it is handed over, the wait for slower sources included; with it,
    /// ``timestamp`` is the cycle's own time.
    public let age: Latency
    /// What the app has set with ``ReceiverPort/setTag(_:for:)``; 0 unless it has.
    public let tag: UInt64
    /// 1 for a mono source, on however many channels it lies; the lane's channels otherwise.
    public let channelCount: Int
    /// It shares its timestamp with all other aligned sources.
    public let isAligned: Bool
    /// Its latency is only known to lie in a range; the largest counts.
    public let isLatencyUncertain: Bool
    /// Several ports are linked to the lane, and their sum is all that can be had.
    public let isShared: Bool
    /// False once it was disconnected, while the last of its sound is still coming out of the delay line.
    public let isConnected: Bool
    /// It is connected, and nothing came of it in this cycle: its app missed the cycle, or its link is just being made or
    /// removed. Without a delay here, this cycle's samples are silent, or the last sound dying away. With a delay, that comes
    /// out when the delay has passed.
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
        isConnected = settings.value.isLinked
        isMissing = settings.value.isLinked && !hasArrived
    }
}
