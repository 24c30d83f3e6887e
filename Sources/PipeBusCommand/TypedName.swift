// SPDX-License-Identifier: MIT

/// A name as a person types it: the rule by which the commands find apps and triggers. Pure.
///
/// It is the rule of `GraphSnapshot.port(typed:as:)`. The first comparison that fits any name wins.
struct TypedName {
    /// The ways to compare, from the strictest on.
    enum Comparison: CaseIterable {
        case exact
        case ignoringCase
        /// The text is the beginning of the name, in upper or lower case.
        case beginning
    }

    /// The longest text that is not only compared exactly, in bytes. Nobody types a longer one.
    private static let longestTyped = 1000

    let text: String
    private let lowered: String
    private let isTypable: Bool

    init(_ text: some StringProtocol) {
        self.text = String(text)
        lowered = text.lowercased()
        // Every name begins with an empty text.
        isTypable = text.utf8.count <= Self.longestTyped && text.contains { !$0.isWhitespace }
    }

    func fits(_ name: String, _ comparison: Comparison) -> Bool {
        switch comparison {
        case .exact: name == text
        case .ignoringCase: isTypable && name.lowercased() == lowered
        case .beginning: isTypable && name.lowercased().hasPrefix(lowered)
        }
    }

    func fits(anyOf names: [String?], _ comparison: Comparison) -> Bool {
        names.contains { $0.map { fits($0, comparison) } == true }
    }
}
