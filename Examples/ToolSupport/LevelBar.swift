// SPDX-License-Identifier: MIT
import Glibc

/// A level as a bar, from -50 to 0 dB.
package enum LevelBar {
    /// A bar of ten steps, and the number.
    package static func text(_ level: Float) -> String { bar(level) + number(level) }

    package static func bar(_ level: Float, steps count: Int = 10) -> String {
        let decibels = level > 0 ? 20 * log10(Double(level)) : -100
        let steps = max(0, min(count, Int((decibels + 50) / 50 * Double(count))))
        return String(repeating: "█", count: steps) + String(repeating: "░", count: count - steps)
    }

    /// The level in decibels, in ten columns.
    package static func number(_ level: Float) -> String {
        let number = Decimal.decibels(ofLevel: level)
        return String(repeating: " ", count: max(6 - number.count, 1)) + number + " dB"
    }
}
