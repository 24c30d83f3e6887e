// SPDX-License-Identifier: MIT

/// Pans as musicians and their programs write them: -0.5, L, centre, R30, 30R, -30%.
enum TypedPan {
    private static let sides = ["l": -1.0, "left": -1, "r": 1, "right": 1]
    private static let centre: Set<String> = ["c", "center", "centre", "middle"]

    /// The pan from -1 to 1; `nil` for a text that is none, or that may mean several: 30 without a unit, or "L1".
    static func number(_ text: String) -> Double? {
        let text = text.lowercased()
        if centre.contains(text) { return 0 }
        if let side = sides[text] { return side }
        if text.hasSuffix("%") { return TypedLevel.number(text, before: "%").flatMap { fraction($0, of: 100) } }
        for (letter, sign) in [("l", -1.0), ("r", 1)] where text.hasPrefix(letter) != text.hasSuffix(letter) {
            let digits = text.hasPrefix(letter) ? text.dropFirst() : text.dropLast()
            // Percent, without a sign. 1 and less may as well be the whole side, or a part of it.
            guard digits.allSatisfy({ $0.isNumber || $0 == "." }), let percent = Decimal.number(String(digits)),
                percent == 0 || percent > 1
            else { return nil }
            return fraction(sign * percent, of: 100)
        }
        return Decimal.number(text).flatMap { fraction($0, of: 1) }
    }

    private static func fraction(_ value: Double, of whole: Double) -> Double? {
        abs(value) <= whole ? value / whole : nil
    }
}
