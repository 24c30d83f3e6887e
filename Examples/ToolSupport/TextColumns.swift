// SPDX-License-Identifier: MIT
import Glibc

/// The width of text in a terminal's columns: East Asian letters and emoji take two, combining marks none.
package enum TextColumns {
    /// The width of a text. It is a terminal's own decision in the end; these are the widths that nearly all use.
    package static func count(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width(of: $1) } }

    /// The text in exactly so many columns: filled with spaces, or cut with "…" at its end.
    package static func fit(_ text: String, to columns: Int, isRight: Bool = false) -> String {
        let cut = count(text) <= columns ? text : prefix(of: text, columns: max(columns - 1, 0)) + "…"
        let spaces = String(repeating: " ", count: max(columns - count(cut), 0))
        return isRight ? spaces + cut : cut + spaces
    }

    /// The longest beginning of a text that fits.
    package static func prefix(of text: String, columns: Int) -> String {
        var left = columns
        var result = ""
        for character in text {
            left -= width(of: character)
            if left < 0 { break }
            // A character has no largest length, and a terminal's line should.
            result.unicodeScalars += character.unicodeScalars.prefix(8)
        }
        return result
    }

    private static func width(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        // An emoji by its variation selector.
        if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        return width(of: first)
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        switch scalar.value {
        // UAX #11: wide and fullwidth.
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x16FE0...0x18DFF, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
