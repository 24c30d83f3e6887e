// SPDX-License-Identifier: MIT

/// Names, titles and messages come from other processes, or from a command line. Text of the graph is made printable on
/// arrival. Text that is printed or put into an error is made printable before it is shown.
extension Unicode.Scalar {
    /// Whether a terminal shows the scalar and does nothing else: no control character, no end of a line, no change of
    /// the direction of text.
    package var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        case .format: !properties.isBidiControl
        default: true
        }
    }
}

/// Text that may be shown in a terminal.
///
/// - Thread: any.
/// - Realtime: unsafe.
public enum TerminalText {
    /// The text with U+FFFD in place of each scalar that a terminal acts on: control characters, ends of lines, and
    /// marks that change the direction of text.
    ///
    /// Names, titles and messages from PipeBus are printable already. This function is for text from elsewhere.
    public static func printable(_ text: some StringProtocol) -> String { text.printable }
}

extension StringProtocol {
    package var printable: String {
        // Nearly all texts are printable: every scalar that is not is ASCII or begins with one of these bytes.
        guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 }) else {
            return String(self)
        }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isPrintable ? $0 : "\u{FFFD}" }))
    }
}

extension String {
    /// Another program's words, made fit to be shown in an error.
    ///
    /// - Parameter limit: the most characters.
    package func shown(atMost limit: Int = 64) -> String {
        // By scalars, because a Character has no largest length.
        let scalars = unicodeScalars.prefix(2 * limit)
        let isTruncated = scalars.count < unicodeScalars.count
        let cleaned = String(scalars).printable
        return cleaned.count > limit ? cleaned.prefix(limit) + "…" : isTruncated ? cleaned + "…" : cleaned
    }
}
