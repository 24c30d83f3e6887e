// SPDX-License-Identifier: MIT
import Glibc

/// Numbers as text, for people and programs.
package enum Decimal {
    /// The shortest text of a number, without ".0".
    package static func text(_ value: Double) -> String {
        guard let whole = Int64(exactly: value), abs(whole) < 1_000_000_000_000_000 else { return "\(value)" }
        return "\(whole)"
    }

    /// A number with a fixed count of digits after the point.
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

    /// A number rounded to a count of significant digits, as its shortest text.
    package static func text(_ value: Double, significantDigits: Int) -> String {
        text(rounded(value, significantDigits: significantDigits))
    }

    /// The number nearest to a value that has so many significant digits in decimal.
    package static func rounded(_ value: Double, significantDigits: Int) -> Double {
        guard value.isFinite, value != 0 else { return value }
        let exponent = Int(log10(abs(value)).rounded(.down)) - significantDigits + 1
        let digits = (value / pow(10, Double(exponent))).rounded()
        // By way of text: a product with a power of ten is not exact. The smallest numbers have no such power.
        return digits.isFinite ? Double("\(Int64(digits))e\(exponent)") ?? value : value
    }

    /// A typed number; `nil` for any other text.
    ///
    /// A typographic minus and ∞ are accepted: help texts show them, and people paste them.
    package static func number(_ text: String) -> Double? {
        Double(text.replacing("\u{2212}", with: "-").replacing("∞", with: "inf"))
    }

    /// A linear level in decibels: 0 for full scale, "-inf" for silence.
    package static func decibels(ofLevel level: Float) -> String {
        level > 0 ? text(20 * log10(Double(level)), digits: 1) : "-inf"
    }

    /// The linear factor of a gain in decibels.
    package static func gain(ofDecibels decibels: Double) -> Float { Float(pow(10, decibels / 20)) }
}
