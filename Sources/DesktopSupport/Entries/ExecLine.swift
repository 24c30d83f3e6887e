// SPDX-License-Identifier: MIT
import CGIO

/// The command line of a desktop entry's `Exec` key, as the Desktop Entry Specification quotes it. No shell ever reads it.
package enum ExecLine {
    /// - Returns: `nil` if a program cannot be named there: its path has `=` or no `/` at its beginning, or a word has control
    ///   characters.
    package static func text(program: String, arguments: [String]) -> String? {
        let words = [program] + arguments
        guard program.hasPrefix("/"), !program.utf8.contains(UInt8(ascii: "=")),
            words.allSatisfy({ word in word.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } })
        else { return nil }
        // "%" begins a field code, also within quotation marks.
        return words.map { quoted($0.replacing("%", with: "%%")) }.joined(separator: " ")
    }

    /// The same for the `Exec` key of a bus's service file, which has no field codes.
    package static func serviceText(program: String, arguments: [String]) -> String {
        ([program] + arguments).map(quoted).joined(separator: " ")
    }

    /// Whether GIO can take the line apart: a quotation mark without another one is in the way.
    package static func isWhole(_ line: String) -> Bool {
        unsafe g_shell_parse_argv(line, nil, nil, nil) != 0
    }

    /// A word in quotation marks, unless it has none of the characters that mean something there.
    private static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                byte >= 0x80 || !reserved.contains(byte)
            }
        guard !isPlain else { return word }
        var text = "\""
        for scalar in word.unicodeScalars {
            if ["\"", "`", "$", "\\"].contains(scalar) { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }

    private static let reserved = Set(" \t\n\"'\\><~|&;$*?#()`".utf8)
}
