// SPDX-License-Identifier: MIT

/// The command line as a shell has read it up to the cursor: what was typed is taken apart, and nothing of it is expanded. Pure.
struct TypedCommandLine: Equatable {
    /// The longest line that is looked at, in characters. Nobody completes a longer one.
    private static let longest = 10_000

    /// The words before the current one, without their quotation marks.
    private(set) var words: [String] = []
    /// The beginning of the word at the cursor, without quotation marks; empty behind a space.
    private(set) var current = ""
    /// The quotation mark that is open at the cursor.
    private(set) var quote: Character?
    /// The number of characters in the current word at which bash begins a word of its own, as it does at a colon.
    private(set) var breaks = 0

    /// - Parameter breakCharacters: those of bash, in `COMP_WORDBREAKS`.
    init(_ line: String, breakCharacters: String = "") {
        let breakCharacters = Set(breakCharacters).intersection(":=@")
        var isInWord = false
        var isEscaped = false
        for character in line.prefix(Self.longest) {
            if isEscaped {
                isEscaped = false
                if quote == "\"", !"\"\\$`".contains(character) { current.append("\\") }
                current.append(character)
            } else if character == "\\", quote != "'" {
                (isEscaped, isInWord) = (true, true)
            } else if let open = quote {
                if character == open { quote = nil } else { current.append(character) }
            } else if character == "\"" || character == "'" {
                (quote, isInWord, breaks) = (character, true, 0)
            } else if ";|&(".contains(character) {
                // Another command begins.
                self = Self("")
                isInWord = false
            } else if character.isWhitespace {
                if isInWord { words.append(current) }
                (current, breaks, isInWord) = ("", 0, false)
            } else {
                if breakCharacters.contains(character) { breaks += 1 }
                current.append(character)
                isInWord = true
            }
        }
    }
}
