// SPDX-License-Identifier: MIT

/// An app's answers to the last presses of its triggers, by the words of the presses. Pure.
///
/// Presses at once share the key that is written, so a value there is the answer to one of them alone. As text each answer is a line: the
/// word, a space, and "taken", or "refused" with a reason behind it. Docs/Protocols.md describes it.
struct PressAnswers: Sendable {
    /// The key under which they are shared.
    static let key = "answers"
    /// More presses than an app takes at once.
    private static let capacity = 96
    private static let longestWord = 64

    private var lines: [String] = []

    var text: String { lines.joined(separator: "\n") }

    /// The word of a press: what is behind the first space. `nil` if it has none that can be in a line.
    static func word(of press: String) -> String? {
        let parts = press.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, 1...longestWord ~= parts[1].utf8.count, parts[1].utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else { return nil }
        return String(parts[1])
    }

    /// Adds an answer. The oldest is forgotten.
    ///
    /// - Parameter refusal: the reason; `nil` if the app has the press.
    mutating func add(_ word: String, refusal: String?) {
        if lines.count >= Self.capacity { lines.removeFirst() }
        lines.append(refusal.map { "\(word) refused \(Names.shown($0))" } ?? "\(word) taken")
    }

    /// The answer to a press in another app's text; `nil` if there is none.
    static func answer(to word: String, in text: String) -> RemoteValues.Answer? {
        // By scalars: "\r\n" is one character, and a reason may begin with a mark.
        for line in text.unicodeScalars.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map { String($0) }
            guard parts.count >= 2, parts[0] == word else { continue }
            switch parts[1] {
            case "taken": return .taken
            case "refused": return .refused(because: parts.count == 3 ? parts[2] : "it gave no reason")
            default: continue
            }
        }
        return nil
    }
}
