// SPDX-License-Identifier: MIT
import Glibc

/// A level as a bar of ten steps, from -50 to 0 dB.
package enum LevelBar {
    package static func text(_ level: Float) -> String {
        let decibels = level > 0 ? 20 * log10(Double(level)) : -100
        let steps = max(0, min(10, Int((decibels + 50) / 5)))
        let number = Decimal.decibels(ofLevel: level)
        return String(repeating: "█", count: steps) + String(repeating: "░", count: 10 - steps)
            + String(repeating: " ", count: max(6 - number.count, 1)) + number + " dB"
    }
}
