// SPDX-License-Identifier: MIT
import Glibc
import PipeBus

/// The level of a port's sound as it is shown: it rises at once and falls slowly. Linear. Pure.
struct WatchMeter: Equatable, Sendable {
    /// In decibels a second.
    private static let fall = 24.0

    var level: Float = 0
    /// The largest sample of the last two seconds.
    var heldPeak: Float = 0
    var isOver = false
    var hasInvalidSamples = false

    init(level: Float = 0, heldPeak: Float = 0, isOver: Bool = false, hasInvalidSamples: Bool = false) {
        self.level = level
        self.heldPeak = heldPeak
        self.isOver = isOver
        self.hasInvalidSamples = hasInvalidSamples
    }

    /// The meter after another reading.
    ///
    /// - Parameter seconds: the time since the last one.
    func following(_ reading: LevelMeter, after seconds: Double) -> WatchMeter {
        let fallen = level * Float(pow(10, -Self.fall * seconds / 20))
        return WatchMeter(
            level: max(reading.peak, fallen < 1e-4 ? 0 : fallen), heldPeak: reading.heldPeak, isOver: reading.isOver,
            hasInvalidSamples: reading.hasInvalidSamples)
    }
}
