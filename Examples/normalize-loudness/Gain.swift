// SPDX-License-Identifier: MIT
import Glibc

/// Decibels of amplitudes.
enum Gain {
    static func factor(decibels: Double) -> Double { pow(10, decibels / 20) }

    static func decibels(factor: Double) -> Double { 20 * log10(factor) }
}
