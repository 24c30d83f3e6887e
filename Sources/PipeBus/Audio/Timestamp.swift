// SPDX-License-Identifier: MIT

/// The time at which the first frame of some sound was made. ``Writer/nextTimestamp`` is the time at which one leaves.
///
/// All latency is already subtracted: do not subtract it again.
///
/// - Thread: any. A value.
/// - Realtime: safe.
public struct Timestamp: Sendable, Hashable {
    /// The position in the app's time, ``AudioCycle/position``, in frames. Negative for sound that is older than the clock.
    public let position: Int64
    /// The time on the system's monotonic clock.
    public let time: MonotonicTime

    /// Creates the start of a cycle, less a latency in frames.
    @_noLocks
    init(_ cycle: AudioCycle, latency: Int) {
        self.init(
            arrival: Int64(truncatingIfNeeded: cycle.position), nanoseconds: cycle.startTime.nanoseconds,
            sampleRate: cycle.sampleRate, age: latency)
    }

    /// Creates the time of sound that came at a moment, less its age in frames.
    @_noLocks
    init(arrival: Int64, nanoseconds: UInt64, sampleRate: Int, age: Int) {
        position = arrival &- Int64(truncatingIfNeeded: age)
        let rate = UInt64(truncatingIfNeeded: sampleRate > 0 ? sampleRate : 1)
        // Latencies are bounded, see `LatencyLedger`, so the product fits.
        let time = UInt64(truncatingIfNeeded: max(age, 0)) &* 1_000_000_000 / rate
        self.time = MonotonicTime(nanoseconds: nanoseconds > time ? nanoseconds - time : 0)
    }

    /// The time of sound that is older by a number of frames, which need not be whole. The position is the nearest.
    @_noLocks
    func earlier(by frames: Double, sampleRate: Int) -> Timestamp {
        let rate = Double(sampleRate > 0 ? sampleRate : 1)
        let earlier = Int64(frames * 1e9 / rate)
        return Timestamp(
            position: position &- Int64(frames + (frames < 0 ? -0.5 : 0.5)),
            nanoseconds: earlier > 0 && earlier.magnitude > time.nanoseconds
                ? 0 : time.nanoseconds &- UInt64(bitPattern: earlier))
    }

    @_noLocks
    private init(position: Int64, nanoseconds: UInt64) {
        self.position = position
        time = MonotonicTime(nanoseconds: nanoseconds)
    }
}
