// SPDX-License-Identifier: MIT
import ToolSupport

/// The estimated width of text in a picture. Nobody knows which font will draw it, so these are the widths of DejaVu Sans, which is
/// the widest of those that the picture names: in another one the text is a little shorter. Pure.
enum GlyphWidths {
    /// Characters of about one width, as a part of the font's size.
    private static let classes: [(characters: String, width: Double)] = [
        ("'ijlIJ", 0.3), (" ,.:;/\\|·", 0.34), ("frt()[]-!", 0.41), ("\"_`*–", 0.51), ("csz?LF", 0.57),
        ("aekovxyPTY", 0.62), ("bdghnpquES${}0123456789", 0.64), ("ABCKRVXZ", 0.7), ("wUNHDGOQ&", 0.8),
        ("#+<=>^~M→", 0.86), ("mW%@…", 1),
    ]
    private static let widths: [Character: Double] = {
        var widths: [Character: Double] = [:]
        for (characters, width) in classes { for character in characters { widths[character] = width } }
        return widths
    }()
    /// How much wider bold letters are; most of all the narrow ones.
    private static let bold = 1.14

    /// - Parameters:
    ///   - size: of the font, in points.
    ///   - isBold: from a weight of 600 on.
    /// - Returns: the width in points.
    static func width(of text: some StringProtocol, size: Double, isBold: Bool = false) -> Double {
        text.reduce(0) { $0 + width(of: $1, isBold) } * size
    }

    /// The text, or the longest beginning of it that fits with "…" behind it. At least one character is left.
    static func fit(_ text: String, to width: Double, size: Double, isBold: Bool = false) -> String {
        guard text.count > 1, Self.width(of: text, size: size, isBold: isBold) > width else { return text }
        var left = width / size - Self.width(of: "…", isBold)
        let kept = text.prefix { character in
            left -= Self.width(of: character, isBold)
            return left >= 0
        }
        return (kept.isEmpty ? text.prefix(1) : kept) + "…"
    }

    private static func width(of character: Character, _ isBold: Bool) -> Double {
        let plain = widths[character] ?? other(character)
        return isBold ? plain * bold : plain
    }

    private static func other(_ character: Character) -> Double {
        switch TextColumns.count(String(character)) {
        case 0: 0
        // A letter of East Asia is a square; an emoji is somewhat wider.
        case 2: character.unicodeScalars.first?.properties.isEmojiPresentation == true ? 1.3 : 1
        default: character.isUppercase ? 0.85 : 0.66
        }
    }
}
