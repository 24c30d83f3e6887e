// SPDX-License-Identifier: MIT

/// The frames of one cycle in a ``StreamLane``.
///
/// - Thread: any. A value.
struct StreamRecord: BitwiseCopyable, Sendable, Equatable {
    /// The number of the source on its lane; 1 in a mix. Another number is another stream.
    var generation: UInt64 = 0
    /// The number of the cycle, from 1.
    var cycle: UInt64 = 0
    /// The place at which the first frame came, in frames of the stream's time.
    var arrival: Int64 = 0
    /// The start of the cycle: CLOCK_MONOTONIC, in nanoseconds.
    var nanoseconds: UInt64 = 0
    /// The age of the sound when it came, in frames.
    var age = 0
    /// Number of frames; 0 if the record only reports dropped frames.
    var frameCount = 0
    /// Number of channels with sound, the first ones of the lane.
    var channelCount = 0
    /// In hertz.
    var sampleRate = 0
    /// The number of the clock.
    var clock: UInt32 = 0
    /// Whether the record follows the previous one of the stream directly in the graph's time. Then a gap between their
    /// times does not come from a missed cycle.
    var isContinuation = false
    /// Number of frames of the stream between the previous record and this one that the port or the source missed (an xrun);
    /// in a mix, the source that missed most.
    var missedFrames = 0
    /// Number of frames of the stream between the previous record and this one that were dropped for lack of room.
    var droppedFrames = 0
    /// The source's serial in the graph; 0 in a mix.
    var source: UInt64 = 0
    /// The app's number for the source.
    var tag: UInt64 = 0

    @_noLocks
    init() {}

    /// The record of what follows on its first frames.
    func advanced(by frames: Int) -> StreamRecord {
        var next = self
        next.frameCount -= frames
        next.arrival &+= Int64(frames)
        next.nanoseconds &+= UInt64(frames) * 1_000_000_000 / UInt64(max(sampleRate, 1))
        return next
    }
}
