// SPDX-License-Identifier: MIT

/// How well a line through noisy events is known: the covariance of its place, in seconds, and its slope, a ratio.
/// Pure.
///
/// It sets the gains of a ``DelayLockedLoop``. They are those of a Kalman filter (R. E. Kalman, "A New Approach to
/// Linear Filtering and Prediction Problems", 1960) for a slope that changes by a random walk. At first they make the
/// line that of least squares through all events so far and what is known of the slope before the first. In the end
/// they are those of a loop of second order with a damping of √½, at the angular frequency ω = ⁴√(w / (n·T)): `w` is
/// the random walk's variance in a second, `n` that of an event's error, and `T` the time between events. So the
/// bandwidth narrows by itself, and fits any interval between events.
///
/// - Thread: any. A value.
/// - Realtime: safe.
struct LineUncertainty: BitwiseCopyable, Sendable {
    /// Variance of the line's place at the last event, in s². More than 0.
    private(set) var place: Double
    /// Variance of the line's slope.
    private(set) var slope: Double
    /// Covariance of both, in s.
    private var both = 0.0

    /// The variance of a slope that has not been measured yet: (300 ppm)². Device clocks differ by up to 500 ppm.
    static var unknownSlope: Double { @_noLocks get { 9e-8 } }
    /// The variance by which a slope changes in a second: (0.3 ppm)². More follows a crystal's warming more closely,
    /// and makes the slope noisier.
    private static var wander: Double { @_noLocks get { 9e-14 } }
    /// (0.1 ppm)². Rounding errors stay below it.
    private static var leastSlope: Double { @_noLocks get { 1e-14 } }

    /// The line after its first event.
    ///
    /// - Parameters:
    ///   - place: variance of the event's error, in s².
    ///   - slope: variance of the slope.
    @_noLocks
    init(place: Double, slope: Double = Self.unknownSlope) {
        self.place = place
        self.slope = slope
    }

    /// The angular frequency of this loop and of another one beside it, in rad/s. 0 after the first event.
    @_noLocks
    func angularFrequency(with other: Self) -> Double {
        // In the end the variances are √2·ω·n·T and √2·ω³·n·T, and the covariance is ω²·n·T.
        1.414 * (both + other.both) / (place + other.place)
    }

    /// - Parameter seconds: time between the last event and the next, from 0 to 1000.
    @_noLocks
    mutating func advance(by seconds: Double) {
        let change = Self.wander * seconds
        place += seconds * (2 * both + seconds * (slope + change / 3))
        both += seconds * (slope + change / 2)
        slope += change
    }

    /// Makes all less certain: the line is not where events are.
    ///
    /// - Parameter place: variance of an event's error, in s².
    @_noLocks
    mutating func restart(place: Double) {
        self.place = place
        // A jump alone says little of the slope. If one follows another then it was the slope.
        slope = min(4 * slope, Self.unknownSlope)
        both = 0
    }

    /// Makes the place that of one event; the slope is known as well as before.
    ///
    /// - Parameter place: variance of the event's error, in s².
    @_noLocks
    mutating func restartPlace(_ place: Double) {
        self.place = place
        both = 0
    }

    /// Takes note of an event.
    ///
    /// - Parameter noise: variance of the event's error, in s². More than 0.
    /// - Returns: the shares of the event's deviation from the line by which place and slope (in 1/s) are to be
    ///   corrected.
    @_noLocks
    mutating func takeEvent(noise: Double) -> (place: Double, slope: Double) {
        let sum = place + noise
        let gains = (place: place / sum, slope: both / sum)
        slope = max(slope - gains.slope * both, Self.leastSlope)
        both *= noise / sum
        place *= noise / sum
        return gains
    }
}
