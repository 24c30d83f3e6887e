// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

/// Volumes as the level commands take them: those of `TypedLevel`, percent as for a pan, and −∞ without its unit, as the
/// commands print it.
enum TypedVolume {
    /// - Throws: `ValidationError` for a text that is no volume.
    static func change(_ text: String) throws -> LevelChange {
        if isSilence(text) { return .volume(0) }
        guard let percent = percent(text) else { return try TypedLevel.volume(text) }
        guard percent >= 0 else {
            throw ValidationError("A volume is 0% to 100%, or in decibels such as -6dB, not \"\(text)\".")
        }
        return .volume(percent / 100)
    }

    /// A sentence about a volume that is beyond the range, and clamped; `nil` of others.
    static func remark(on text: String) -> String? {
        guard let percent = percent(text) else { return TypedLevel.remark(onVolume: text) }
        return percent > 100 ? "\(text) is above the highest volume, so the volume is 100% (0 dB)." : nil
    }

    private static func isSilence(_ text: String) -> Bool { Decimal.number(text) == -.infinity }

    private static func percent(_ text: String) -> Double? {
        guard text.hasSuffix("%"), let percent = Decimal.number(String(text.dropLast())), percent.isFinite else {
            return nil
        }
        return percent
    }
}
