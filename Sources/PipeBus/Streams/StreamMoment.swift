// SPDX-License-Identifier: MIT

/// When sound came, and how old it was: the part of a ``StreamRecord`` that a time follows from.
///
/// - Thread: any. A value.
struct StreamMoment: BitwiseCopyable, Sendable {
    /// In frames of the stream's time.
    var arrival: Int64 = 0
    /// CLOCK_MONOTONIC, in nanoseconds.
    var nanoseconds: UInt64 = 0
    /// In hertz.
    var sampleRate = 0
    /// In frames.
    var age = 0

    @_noLocks
    init() {}

    @_noLocks
    init(_ record: StreamRecord) {
        arrival = record.arrival
        nanoseconds = record.nanoseconds
        sampleRate = record.sampleRate
        age = record.age
    }
}
