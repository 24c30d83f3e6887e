// SPDX-License-Identifier: MIT

/// The sentences of the argument parser, made to say what to type instead. They are in its words, and name no range. Pure.
enum ParserSentence {
    /// A sentence that says what is wrong and what to do.
    ///
    /// - Parameters:
    ///   - sentence: of the parser or of a command. One of a command is returned as it is.
    ///   - help: what a person types to have the command explained.
    static func complete(_ sentence: String, help: String) -> String {
        let isOfParser =
            ["The value ", "The option ", "Missing ", "Unknown option ", "Unexpected argument "].contains(
                where: sentence.hasPrefix) || sentence.contains(" unexpected arguments: ")
        guard isOfParser else { return sentence }
        let plain = choice(sentence) ?? number(sentence) ?? guess(sentence) ?? sentence
        return "\(plain.hasSuffix(".") ? plain.dropLast() : plain[...]); see \(help)."
    }

    /// A value that is none of a few words.
    private static func choice(_ sentence: String) -> String? {
        guard let parts = split(sentence, at: "'. Please provide one of "),
            let (value, option) = valueAndOption(String(parts.0) + "'")
        else { return nil }
        return "\(option) takes \(parts.1.hasSuffix(".") ? parts.1.dropLast() : parts.1), not '\(value)'"
    }

    /// A value that is no number. Every option that takes neither a text nor one of a few words takes one.
    private static func number(_ sentence: String) -> String? {
        guard let (value, option) = valueAndOption(sentence) else { return nil }
        // A whole number may have a fraction or an exponent, or be too large.
        let kind =
            if let number = Double(value), number.isFinite {
                number.magnitude < 1e18 ? "a whole number in digits" : "a smaller number"
            } else { "a number" }
        return "\(option) takes \(kind), not '\(value)'"
    }

    /// An option that looks like another one.
    private static func guess(_ sentence: String) -> String? {
        guard let parts = split(sentence, at: ". Did you mean '"), let end = parts.1.lastIndex(of: "'") else {
            return nil
        }
        return "\(parts.0), where '\(parts.1[..<end])' may be meant"
    }

    /// The parts of "The value 'loud' is invalid for '--frequency <hz>'".
    private static func valueAndOption(_ sentence: String) -> (value: Substring, option: Substring)? {
        let start = "The value '"
        guard sentence.hasPrefix(start), sentence.hasSuffix("'"),
            let parts = split(sentence.dropLast(), at: "' is invalid for '--"), !parts.1.contains("'")
        else { return nil }
        return (parts.0.dropFirst(start.count), "--" + (parts.1.split(separator: " ").first ?? ""))
    }

    /// The text before and after the last of some words: a value may have them too.
    private static func split(_ text: some StringProtocol, at words: String) -> (Substring, Substring)? {
        let text = Substring(text)
        return text.ranges(of: words).last.map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
    }
}
