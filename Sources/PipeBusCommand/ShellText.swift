// SPDX-License-Identifier: MIT

/// Words as shells read them. By scalars: with a combining mark behind it a ";" is another Character, and the same for a shell.
enum ShellText {
    /// The characters that no shell treats specially.
    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+".unicodeScalars)

    /// The word, in single quotation marks if a shell would read it otherwise.
    static func quoted(_ word: String) -> String {
        guard word.isEmpty || !word.unicodeScalars.allSatisfy(plain.contains) else { return word }
        return "'\(replacing(word) { $0 == "'" ? "'\\''" : nil })'"
    }

    /// A name as it is shown to a person, who may paste it into a command: as it is, if it is at most to be put between double
    /// quotation marks, and else as a shell reads it.
    static func shown(_ name: String) -> String {
        name.unicodeScalars.contains { "\"\\$`!".unicodeScalars.contains($0) } ? quoted(name) : name
    }

    /// The word with a backslash before each character that a shell would treat specially.
    static func escaped(_ word: String) -> String {
        replacing(word) { plain.contains($0) || !$0.isASCII ? nil : "\\\($0)" }
    }

    /// The word as it stands between double quotation marks.
    ///
    /// - Returns: `nil` if it has a "!", which an interactive bash takes for the history there, also behind a backslash.
    static func betweenQuotes(_ word: String) -> String? {
        guard !word.unicodeScalars.contains("!") else { return nil }
        return replacing(word) { "\"\\$`".unicodeScalars.contains($0) ? "\\\($0)" : nil }
    }

    private static func replacing(_ word: String, _ text: (Unicode.Scalar) -> String?) -> String {
        var result = String.UnicodeScalarView()
        for scalar in word.unicodeScalars {
            if let text = text(scalar) { result.append(contentsOf: text.unicodeScalars) } else { result.append(scalar) }
        }
        return String(result)
    }
}
