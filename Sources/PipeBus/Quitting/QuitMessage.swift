// SPDX-License-Identifier: MIT

/// The texts of a request that an app end, and of its answer, as they are in the properties of a node. Docs/Protocols.md describes them.
///
/// Text from other processes is parsed strictly.
enum QuitMessage {
    /// A request: the serial of the client that asks, or 0, a space, and a word that the answer repeats.
    struct Request: Hashable, Sendable {
        static let longestWord = 64

        var serial: UInt64
        var word: String

        init(serial: UInt64, word: String) {
            self.serial = serial
            self.word = word
        }

        /// `nil` for any other text.
        init?(_ text: String) {
            guard text.utf8.count <= 128 else { return nil }
            let parts = text.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 2, let serial = UInt64(parts[0]), 1...Self.longestWord ~= parts[1].utf8.count,
                parts[1].utf8.allSatisfy({ 0x21...0x7E ~= $0 })
            else { return nil }
            self.init(serial: serial, word: String(parts[1]))
        }

        var text: String { "\(serial) \(word)" }
    }

    /// An answer: the word of the request, a space, and "quit", or "stay" with a reason behind it.
    static func text(of answer: QuitRequest.Answer, to word: String) -> String {
        switch answer {
        case .quit: "\(word) quit"
        case .refuse(let reason): "\(word) stay \(Names.shown(reason))"
        }
    }

    /// The answer in a text; `nil` if it answers another request, or none.
    static func answer(in text: String, to word: String) -> QuitRequest.Answer? {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == word else { return nil }
        switch parts[1] {
        case "quit": return .quit
        case "stay": return .refuse(because: parts.count == 3 ? Names.shown(String(parts[2])) : "it gave no reason")
        default: return nil
        }
    }
}
