// SPDX-License-Identifier: MIT

/// Which frame of a ``WriterRing`` the graph took at the start of a cycle.
struct PlayedMoment: BitwiseCopyable, Sendable {
    /// Number of frames that were taken before.
    var position = 0
    /// Number of frames in all gaps before it, in the sound of an app with a clock of its own.
    var gapFrames = 0
    /// The start of the cycle: CLOCK_MONOTONIC, in nanoseconds; 0 before any sound was taken.
    var nanoseconds: UInt64 = 0
    /// The start of the cycle in the app's time, in frames.
    var graphPosition: Int64 = 0
    /// In hertz.
    var sampleRate = 0
    /// That of the port in the cycle.
    var connectionEpoch: UInt64 = 0
    /// Whether there was sound up to the cycle's end, so that the next frame in the ring is the next cycle's first one.
    var goesOn = false

    @_noLocks
    init() {}

    /// When a frame leaves that comes so many frames after the first one of the cycle.
    @_noLocks
    func timestamp(after frames: Double) -> Timestamp {
        Timestamp(arrival: graphPosition, nanoseconds: nanoseconds, sampleRate: sampleRate, age: 0)
            .earlier(by: 0 - frames, sampleRate: sampleRate)
    }
}
