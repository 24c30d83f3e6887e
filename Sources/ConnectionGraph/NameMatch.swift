// SPDX-License-Identifier: MIT

/// A text that the names of ports are compared with.
struct NameMatch: Sendable {
    /// The ways to compare, from the strictest on.
    enum Comparison: CaseIterable, Sendable {
        case exact
        case ignoringCase
        /// The text is the beginning of the name, without regard to case.
        case prefix
    }

    /// The longest text that is not only compared exactly, in bytes. Nobody types a longer one.
    private static let longestTyped = 1000

    let text: String
    let comparison: Comparison

    init(_ text: String) {
        self.text = text
        comparison = .exact
    }

    /// - Returns: `nil` for a text that cannot be compared in this way: one that nobody types, and an empty one, with which every
    ///   name begins.
    init?(_ text: String, _ comparison: Comparison) {
        if comparison != .exact {
            guard text.utf8.count <= Self.longestTyped, text.contains(where: { !$0.isWhitespace }) else { return nil }
        }
        self.text = comparison == .exact ? text : text.lowercased()
        self.comparison = comparison
    }

    func callAsFunction(_ name: String) -> Bool {
        switch comparison {
        case .exact: name == text
        case .ignoringCase: name.lowercased() == text
        case .prefix: name.lowercased().hasPrefix(text)
        }
    }
}
