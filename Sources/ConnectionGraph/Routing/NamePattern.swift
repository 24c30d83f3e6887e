// SPDX-License-Identifier: MIT

/// A name, or a pattern of names: `*` stands for any characters, also none. `\*` is the character itself, and `\\` a backslash.
///
/// Names are compared byte by byte, in upper and lower case.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct NamePattern: Sendable, Hashable, CustomStringConvertible {
    /// The longest text of a pattern, in bytes. A longer name cannot be saved.
    public static let longestText = 1024
    /// The most `*` in a pattern.
    public static let mostWildcards = 8
    /// A longer name fits no pattern with a `*`, so that a comparison has an upper bound.
    private static let longestName = 4096

    /// The pattern as it was written.
    public let text: String
    /// What stands between the `*`; one element for a name without any.
    private let parts: [[UInt8]]

    /// A pattern from its text.
    ///
    /// - Parameter text: up to 1024 bytes that can be printed, with up to 8 `*`.
    /// - Throws: ``RoutingError`` with an empty place.
    public init(_ text: String) throws(RoutingError) {
        guard text.utf8.count <= Self.longestText else {
            throw RoutingError(
                at: "", "a name of \(text.utf8.count) bytes is too long; at most \(Self.longestText) are allowed")
        }
        guard text.unicodeScalars.allSatisfy(\.isPrintable) else {
            throw RoutingError(
                at: "",
                "a name contains control characters or marks that turn the direction of text, which no name in the graph has"
            )
        }
        var parts: [[UInt8]] = [[]]
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "*"): parts.append([])
            case UInt8(ascii: "\\"):
                guard let escaped = bytes.next(), escaped == UInt8(ascii: "*") || escaped == UInt8(ascii: "\\") else {
                    throw RoutingError(
                        at: "",
                        "\"\(RoutingError.shown(text))\" has a backslash before something else than * or \\; a backslash itself is \\\\"
                    )
                }
                parts[parts.count - 1].append(escaped)
            default: parts[parts.count - 1].append(byte)
            }
        }
        guard parts.count <= Self.mostWildcards + 1 else {
            throw RoutingError(at: "", "a name has \(parts.count - 1) *; at most \(Self.mostWildcards) are allowed")
        }
        self.text = text
        self.parts = parts
    }

    /// The pattern that fits a name alone; `nil` for a name that is too long.
    public init?(exactly name: String) {
        var text = ""
        for scalar in name.unicodeScalars {
            if scalar == "*" || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
            guard text.utf8.count <= Self.longestText else { return nil }
        }
        do throws(RoutingError) { try self.init(text) } catch { return nil }
    }

    /// The name, if it is one without a `*`.
    public var name: String? { parts.count == 1 ? String(decoding: parts[0], as: UTF8.self) : nil }

    /// Whether a name fits.
    ///
    /// - Complexity: O(*n* · *m*) in the lengths of the name and of the pattern, which are bounded.
    public func fits(_ name: String) -> Bool {
        guard parts.count > 1 else { return name.utf8.elementsEqual(parts[0]) }
        guard name.utf8.count <= Self.longestName else { return false }
        let bytes = Array(name.utf8)
        guard bytes.starts(with: parts[0]) else { return false }
        var rest = bytes[parts[0].count...]
        // The leftmost place of each part leaves the most for those behind it.
        for part in parts[1..<(parts.count - 1)] {
            guard let place = Self.firstPlace(of: part, in: rest) else { return false }
            rest = rest[(place + part.count)...]
        }
        let last = parts[parts.count - 1]
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }

    private static func firstPlace(of part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= part.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - part.count)).first { place in
            bytes[place..<(place + part.count)].elementsEqual(part)
        }
    }

    /// The ``text``.
    public var description: String { text }
}
