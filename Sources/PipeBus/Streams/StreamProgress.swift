// SPDX-License-Identifier: MIT

/// How far a stream has come, as its writer says with each cycle.
///
/// Places are in frames of the stream's time. The records of all cycles before a value are visible with it.
///
/// - Thread: any. A value.
struct StreamProgress: BitwiseCopyable, Sendable {
    /// The number of the newest cycle; 0 before the first.
    var cycle: UInt64 = 0
    /// Where the first cycle came, and where the oldest sound in it was made.
    var firstArrival: Int64 = 0
    var firstPlace: Int64 = 0
    /// The sample rate of the first cycle, in hertz.
    var firstSampleRate = 0
    /// The end of the newest cycle.
    var arrivalEnd: Int64 = 0
    /// The place up to which every source has handed over its sound.
    var completeEnd: Int64 = 0
    /// The end of the newest sound.
    var newestEnd: Int64 = 0
    /// The start of the newest cycle: CLOCK_MONOTONIC, in nanoseconds.
    var nanoseconds: UInt64 = 0
    /// Number of frames of the newest cycle.
    var frameCount = 0
    /// The sample rate of the newest cycle, in hertz.
    var sampleRate = 0
    /// The age of the mix, or of the oldest source, in the newest cycle, in frames.
    var age = 0
    /// The connection of the newest cycle; see `PortCore.connectionEpoch`.
    var connectionEpoch: UInt64 = 0

    @_noLocks
    init() {}
}
