// SPDX-License-Identifier: MIT

/// Steers a ratio so that a delay comes to its target, too slowly to be heard. Pure.
///
/// - Thread: any. A value.
/// - Realtime: safe.
struct DelaySteering: BitwiseCopyable, Sendable {
    /// The ratio to use, relative to the nominal one, less 1. Within ±0.01.
    private(set) var correction = 0.0

    /// The largest change for the sake of the delay: 2500 ppm, 4 cents.
    private static var mostPull: Double { @_noLocks get { 0.0025 } }
    /// The largest change in a second: 1 %, 17 cents.
    private static var steepest: Double { @_noLocks get { 0.01 } }
    /// The largest change at once: 500 ppm, 0.9 cents. A tenth of what trained ears tell.
    private static var largestStep: Double { @_noLocks get { 0.0005 } }

    @_noLocks
    init() {}

    /// - Parameters:
    ///   - rate: the ratio of both clocks, as far as it is known, relative to the nominal one, less 1.
    ///   - error: the delay over its target, in seconds, as far as a larger ratio lessens it.
    ///   - angularFrequency: that of the loops that `error` comes from, in rad/s.
    ///   - seconds: time since the last update, 0 or more.
    @_noLocks
    mutating func update(rate: Double, error: Double, angularFrequency: Double, after seconds: Double) {
        // An error within a millisecond may be one of the loops, which correct it at their own pace. Followed at a
        // quarter of that it adds little to the pitch's deviation.
        let slow = error * min(max(angularFrequency / 4, 1.0 / 60), 0.5)
        // What is beyond is real.
        let rest = error - min(max(error, -0.001), 0.001)
        let wanted = rate + min(max(slow + 2 * rest, -Self.mostPull), Self.mostPull)
        let step = min(Self.steepest * seconds, Self.largestStep)
        correction = min(max(wanted, correction - step), correction + step)
        correction = min(max(correction, -0.01), 0.01)
    }
}
