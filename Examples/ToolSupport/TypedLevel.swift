// SPDX-License-Identifier: MIT
import ArgumentParser
package import PipeBus

/// Volumes and pans that a person types, on a command line or at a prompt. A volume beyond the range is clamped, which
/// the answer shows; a pan beyond it is refused, because it may be percent.
package enum TypedLevel {
    /// A volume: linear from 0 on, in percent with "%" behind the number, or in decibels with "dB". A space may stand before the
    /// unit. −∞ is silence without a unit too.
    ///
    /// - Throws: `ValidationError` for any other text. A negative number is refused and not clamped, because it is most
    ///   likely decibels without "dB", and 0 is silence.
    package static func volume(_ text: String) throws -> LevelChange {
        if let decibels = decibels(text) { return .volume(decibels: decibels) }
        if let percent = number(text, before: "%"), percent.isFinite {
            guard percent >= 0 else {
                throw ValidationError("A volume is 0% to 100%, or in decibels such as -6dB, not \"\(text)\".")
            }
            return .volume(percent / 100)
        }
        if Decimal.number(text) == -.infinity { return .volume(0) }
        guard let volume = Decimal.number(text), volume.isFinite else {
            try checkPoint(in: text)
            throw ValidationError(
                "volume takes a number from 0 to 1, or one of decibels such as -6dB, not \"\(text)\".")
        }
        guard volume >= 0 else {
            throw ValidationError("A volume is 0 to 1, or in decibels such as -6dB, not \"\(text)\".")
        }
        return .volume(volume)
    }

    /// A sentence about a volume that is beyond the range, and clamped to 1; `nil` of others.
    package static func remark(onVolume text: String) -> String? {
        if let percent = number(text, before: "%") {
            return percent > 100 ? "\(text) is above the highest volume, so the volume is 100% (0 dB)." : nil
        }
        let isAbove = if let decibels = decibels(text) { decibels > 0 } else { Decimal.number(text) ?? 0 > 1 }
        return isAbove ? "\(text) is above the highest volume, so the volume is 1 (0 dB)." : nil
    }

    /// A pan: a number from -1 to 1, or a side, with percent or without.
    ///
    /// - Throws: `ValidationError` for any other text.
    package static func pan(_ text: String) throws -> LevelChange {
        guard let pan = TypedPan.number(text) else {
            try checkPoint(in: text)
            throw ValidationError(
                "pan takes a number from -1 (left) to 1 (right), such as -0.3, or L, C, R, L30 or -30%, not \"\(text)\"."
            )
        }
        return .pan(pan)
    }

    /// A gain in decibels, with or without "dB" behind the number.
    ///
    /// - Throws: `ValidationError` for any other text.
    @Sendable package static func decibels(in text: String) throws -> Double {
        guard let gain = decibels(text) ?? Decimal.number(text), gain.isFinite else {
            throw ValidationError("a gain is a number of decibels, such as -6 or -6dB.")
        }
        return gain
    }

    /// - Throws: `ValidationError` for a number with a comma, which some languages write.
    private static func checkPoint(in text: String) throws {
        guard text.contains(","), text.contains(where: \.isNumber) else { return }
        throw ValidationError(
            "\"\(text)\" has a comma; write it with a point, as in \(text.replacing(",", with: ".")).")
    }

    /// The number before "dB" in upper or lower case. It may be −∞, which is silence. `nil` for any other text.
    private static func decibels(_ text: String) -> Double? {
        number(text, before: "db").flatMap { $0.isNaN || $0 == .infinity ? nil : $0 }
    }

    /// The number before a unit in upper or lower case, with or without a space between them; `nil` for any other text.
    static func number(_ text: String, before unit: String) -> Double? {
        guard text.lowercased().hasSuffix(unit) else { return nil }
        let digits = text.dropLast(unit.count)
        return Decimal.number(String(digits.last == " " ? digits.dropLast() : digits))
    }
}
