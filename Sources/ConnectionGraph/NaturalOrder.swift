// SPDX-License-Identifier: MIT

/// A name in the order in which a person looks for it: "Voice 2" comes before "Voice 10".
///
/// Case does not count, and a run of digits counts as a number. "." comes before all other characters, so that "Tone.out" is before
/// "Tone 2.out". Names that are alike in all of that are in the order of their scalars, so that no two names have the same place.
package struct NaturalOrder: Comparable, Sendable {
    private let text: String
    private let folded: [UInt8]

    package init(_ text: String) {
        self.text = text
        folded = Array(text.lowercased().utf8)
    }

    package static func == (left: Self, right: Self) -> Bool { left.text == right.text }

    package static func < (left: Self, right: Self) -> Bool {
        left.isBefore(right) ?? (left.text.unicodeScalars.lexicographicallyPrecedes(right.text.unicodeScalars))
    }

    /// - Returns: `nil` for names that differ in case or in leading zeros alone.
    private func isBefore(_ other: Self) -> Bool? {
        var (own, others) = (folded[...], other.folded[...])
        while let first = own.first, let second = others.first {
            if Self.isDigit(first), Self.isDigit(second) {
                let (number, otherNumber) = (Self.takeNumber(from: &own), Self.takeNumber(from: &others))
                // Without leading zeros the longer number is the larger one. It may be too long for any integer.
                guard number.count == otherNumber.count else { return number.count < otherNumber.count }
                if number != otherNumber { return number.lexicographicallyPrecedes(otherNumber) }
            } else {
                let (rank, otherRank) = (Self.rank(of: first), Self.rank(of: second))
                if rank != otherRank { return rank < otherRank }
                own.removeFirst()
                others.removeFirst()
            }
        }
        return own.isEmpty == others.isEmpty ? nil : own.isEmpty
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func rank(of byte: UInt8) -> UInt8 { byte == UInt8(ascii: ".") ? 0 : byte }

    private static func takeNumber(from text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = text.prefix(while: isDigit)
        text = text.dropFirst(digits.count)
        return digits.drop { $0 == 0x30 }
    }
}

extension Sequence {
    /// The elements in the natural order of their names. Those of one name stay in their order.
    ///
    /// - Complexity: O(*n* log *n*), and each name is made once.
    package func naturallySorted(by name: (Element) -> String) -> [Element] {
        naturallySorted { [name($0)] }
    }

    /// The elements in the natural order of their first names, then of their second ones, and so on.
    package func naturallySorted(by names: (Element) -> [String]) -> [Element] {
        let keyed = enumerated().map { (place: $0.offset, names: names($0.element).map(NaturalOrder.init), $0.element) }
        return keyed.sorted { left, right in
            if left.names.lexicographicallyPrecedes(right.names) { return true }
            return left.names == right.names && left.place < right.place
        }.map(\.2)
    }
}
