// SPDX-License-Identifier: MIT
import PipeBus

/// A line of `key=value` pairs for another program, which a shell reads as one word a pair. Pure.
package enum KeyValueLine {
    /// ASCII characters that no shell treats specially.
    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+".unicodeScalars)

    package static func text(_ values: some Sequence<(key: String, value: String)>) -> String {
        values.map { "\($0.key)=\(quoted($0.value))" }.joined(separator: " ")
    }

    /// By scalars: with a combining mark behind it a ";" is another Character, and the same for a shell.
    private static func quoted(_ value: String) -> String {
        let printable = TerminalText.printable(value).unicodeScalars
        let isPlain = printable.allSatisfy { plain.contains($0) || !$0.isASCII && !$0.properties.isWhitespace }
        guard !isPlain else { return String(printable) }
        var result = "'"
        for scalar in printable {
            result.unicodeScalars.append(
                contentsOf: scalar == "'" ? "'\\''".unicodeScalars : "\(scalar)".unicodeScalars)
        }
        return result + "'"
    }
}
