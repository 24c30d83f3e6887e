// SPDX-License-Identifier: MIT

/// What a ``Reader`` has read: when it was made, and whether it is whole.
///
/// - Thread: any. A value.
/// - Realtime: safe.
public struct ReadResult: Sendable, Hashable {
    /// The time at which the first frame was made. All latency is already subtracted, that of the reader too.
    ///
    /// While nothing is connected, position and time go on by the frames that are read, from those of the last sound, and stay near the
    /// time of the request less the reader's latency: to a cycle and 20 ms, except for a second.
    public let timestamp: Timestamp
    /// Number of frames: as many as were asked for.
    public let frameCount: Int
    /// The sample rate of the frames, in hertz. In a format without a rate it is the graph's, that of ``BusClient/clock`` while
    /// nothing is connected; 0 while that is not known.
    public let sampleRate: Int
    /// Number of these frames that are silence because a connected port's sound had not come in time. At the frames' own rate, unlike
    /// ``ReaderStatistics/lateFrames``.
    public let lateFrames: Int
    /// Whether any of the frames is sound that came, silent or not.
    public let hasSound: Bool

    @_noLocks
    init(timestamp: Timestamp, frameCount: Int, sampleRate: Int, lateFrames: Int, hasSound: Bool) {
        self.timestamp = timestamp
        self.frameCount = frameCount
        self.sampleRate = sampleRate
        self.lateFrames = lateFrames
        self.hasSound = hasSound
    }
}
