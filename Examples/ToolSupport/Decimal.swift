// SPDX-License-Identifier: MIT
import Glibc

/// Numbers as people and programs read them.
package enum Decimal {
    /// The shortest way to write a number, without ".0".
    package static func text(_ value: Double) -> String {
        guard let whole = Int64(exactly: value), abs(whole) < 1_000_000_000_000_000 else { return "\(value)" }
        return "\(whole)"
    }

    /// With exactly so many digits after the point.
    package static func text(_ value: Double, digits: Int) -> String {
        let scale = pow(10, Double(digits))
        guard value.isFinite, abs(value * scale) < 9e15 else { return "\(value)" }
        let scaled = Int64((value * scale).rounded())
        let parts = abs(scaled).quotientAndRemainder(dividingBy: Int64(scale))
        let sign = scaled < 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(parts.quotient)" }
        let fraction = String(parts.remainder)
        return "\(sign)\(parts.quotient).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
    }

    /// A linear level in decibels: 0 for full scale, "-inf" for silence.
    package static func decibels(ofLevel level: Float) -> String {
        level > 0 ? text(20 * log10(Double(level)), digits: 1) : "-inf"
    }

    /// The linear factor that so many decibels stand for.
    package static func gain(ofDecibels decibels: Double) -> Float { Float(pow(10, decibels / 20)) }
}
