// SPDX-License-Identifier: MIT

/// Counts of a ``Reader`` since it was made, in frames at the graph's rate, over all lanes that were read.
///
/// - Thread: any. A value.
/// - Realtime: safe.
public struct ReaderStatistics: Sendable, Hashable {
    /// Frames of sound that were given.
    public internal(set) var givenFrames: UInt64 = 0
    /// Frames of silence that were given because a connected port's sound had not come in time, or to wait for it.
    public internal(set) var lateFrames: UInt64 = 0
    /// Frames that the port or a source missed (xruns), as ``CaptureBlock/missedFrames`` counts them. Silence was given for them,
    /// which is not late.
    public internal(set) var missedFrames: UInt64 = 0
    /// Frames of sound that were left out: they came too late, or were skipped to catch up, or the app had not read for too
    /// long; or a resampler held them back when the format changed. What an app leaves unread in an interval does not count.
    public internal(set) var discardedFrames: UInt64 = 0

    @_noLocks
    init() {}

    /// Counts frames that were taken to be given, and are left out after all.
    @_noLocks
    mutating func leaveOut(_ frames: Int) {
        let count = min(UInt64(truncatingIfNeeded: frames), givenFrames)
        givenFrames &-= count
        discardedFrames &+= count
    }
}
