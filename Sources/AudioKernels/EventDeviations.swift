// SPDX-License-Identifier: MIT

/// What is usual of the deviations of a ``DelayLockedLoop``'s events, and what is not. Pure.
///
/// - Thread: any. A value.
/// - Realtime: safe.
struct EventDeviations: BitwiseCopyable, Sendable {
    /// Variance of an event's error, in s². At first that of ±1 ms.
    private(set) var noise = 3.6e-7
    /// The mean deviation of the last three seconds, in seconds, and the share of the last event.
    private var bias = (mean: 0.0, share: 0.0)
    /// Events that all deviate by the same, and far.
    private var strays = (start: UInt64(0), weight: 0, deviation: 0.0)

    /// (30 µs)². Less would say that a loop knows what drifts.
    private static var leastNoise: Double { @_noLocks get { 9e-10 } }
    /// (20 ms)².
    private static var mostNoise: Double { @_noLocks get { 4e-4 } }

    @_noLocks
    init() {}

    /// Whether the last event deviated far.
    var isStraying: Bool { @_noLocks get { strays.weight > 0 } }

    /// Lets the line begin anew; what is usual stays.
    @_noLocks
    mutating func restart() {
        strays.weight = 0
        bias = (0, 0)
    }

    /// Whether a deviation, in seconds, is more than four times what is usual.
    @_noLocks
    func isStray(_ deviation: Double, _ uncertainty: Double) -> Bool {
        deviation * deviation > 16 * (uncertainty + noise)
    }

    /// Takes note of an event's deviation.
    ///
    /// - Parameters:
    ///   - deviation: how late the event is, in seconds.
    ///   - uncertainty: variance of the line's place, in s².
    ///   - seconds: time since the event before.
    ///   - nanoseconds: time of the event.
    /// - Returns: how much of the deviation counts, in seconds; `nil` if the line has jumped.
    @_noLocks
    mutating func weigh(_ deviation: Double, _ uncertainty: Double, after seconds: Double, at nanoseconds: UInt64)
        -> Double?
    {
        let usual = uncertainty + noise
        let isStray = isStray(deviation, uncertainty)
        // A thread that the system wakes late says nothing of the clock.
        let counted = isStray ? 16 * usual / deviation : deviation
        bias.share = min(seconds / 3, 1)
        bias.mean += (counted - bias.mean) * bias.share
        // What all events have in common is no noise. If all are strays then what was usual was too little.
        let rest = deviation - bias.mean
        noise = min(max(noise + (min(rest * rest, 9 * usual) - usual) / 64, Self.leastNoise), Self.mostNoise)
        if !isStray { strays.weight = 0 }
        return isStray && isSteadyStray(deviation, usual, nanoseconds) ? nil : counted
    }

    /// Whether events have been to one side of the line for so long that it is wrong, which a stall is not, nor jitter
    /// that repeats.
    @_noLocks
    mutating func areBiased(_ uncertainty: Double) -> Bool {
        let random = noise * bias.share / (2 - bias.share)
        guard bias.mean * bias.mean > 1e-6 + 36 * random + 16 * uncertainty else { return false }
        bias.mean = 0
        return true
    }

    /// Whether four events have deviated like this for 0.2 s, or two by twice as much as a stray.
    ///
    /// A number alone says nothing: a thread that was held up makes up for it in a burst.
    @_noLocks
    private mutating func isSteadyStray(_ deviation: Double, _ usual: Double, _ nanoseconds: UInt64) -> Bool {
        let difference = deviation - strays.deviation
        if strays.weight == 0 || difference * difference > 32 * usual { strays = (nanoseconds, 0, deviation) }
        strays.weight = min(strays.weight &+ (deviation * deviation > 64 * usual ? 2 : 1), 4)
        return strays.weight == 4 && Int64(truncatingIfNeeded: nanoseconds &- strays.start) > 200_000_000
    }
}
