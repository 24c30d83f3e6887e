// SPDX-License-Identifier: MIT

/// Names, titles and messages come from other processes, or from a command line. What the graph says of others goes through
/// here when it arrives, and everything that is printed or put into an error before it is shown.
extension Unicode.Scalar {
    /// A terminal shows it, and does nothing else because of it: no control character, no end of a line, and none that
    /// turns the direction of the text around it.
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
public enum TerminalText {
    /// The text with U+FFFD in place of each scalar that a terminal acts on: control characters, ends of lines, and marks
    /// that turn the direction of the text around them.
    ///
    /// Names and titles from PipeBus, and its messages, are printable already. This is for text from elsewhere.
    public static func printable(_ text: some StringProtocol) -> String { text.printable }
}

extension StringProtocol {
    package var printable: String {
        // Nearly all texts need no second look: all that is not printable is ASCII or begins with one of these bytes.
        guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 }) else {
            return String(self)
        }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isPrintable ? $0 : "\u{FFFD}" }))
    }
}
