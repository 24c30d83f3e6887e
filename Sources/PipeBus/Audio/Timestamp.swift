// SPDX-License-Identifier: MIT

/// The time at which the first frame of some sound was made.
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
        position = Int64(truncatingIfNeeded: cycle.position) &- Int64(latency)
        let rate = UInt64(truncatingIfNeeded: cycle.sampleRate > 0 ? cycle.sampleRate : 1)
        // Latencies are bounded, see `LatencyLedger`, so the product fits.
        let age = UInt64(truncatingIfNeeded: latency) &* 1_000_000_000 / rate
        let start = cycle.startTime.nanoseconds
        time = MonotonicTime(nanoseconds: start > age ? start - age : 0)
    }
}
