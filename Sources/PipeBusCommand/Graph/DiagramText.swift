// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// Text of other processes for a picture: printable, of bounded length, and escaped for each form.
enum DiagramText {
    /// The longest title, in columns.
    static let longestTitle = 100

    /// The text in at most so many columns, with "…" at its end if it is cut.
    static func bounded(_ text: String, to columns: Int = longestTitle) -> String {
        // By scalars first, because a Character has no largest length.
        let start = String(text.unicodeScalars.prefix(columns * 8 + 8))
        let printable = TerminalText.printable(start)
        guard TextColumns.count(printable) > columns || text.utf8.count > start.utf8.count else {
            // Also where nothing is cut, marks that pile up on one letter are.
            return TextColumns.prefix(of: printable, columns: columns)
        }
        return TextColumns.prefix(of: printable, columns: max(columns - 1, 0)) + "…"
    }

    /// For text and attributes of XML 1.0.
    static func xml(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // XML has no such characters.
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A quoted string of Graphviz: quotes and backslashes are escaped, and so is "&", which begins an entity.
    static func dot(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\u{0}"..."\u{1F}": "\u{FFFD}"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    /// A quoted string of Mermaid. All that has a meaning in it, or in the HTML that is made of it, becomes an entity code.
    static func mermaid(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"", "#", "&", "<", ">", "`", "\\", "'", "*", "_", "~", "|", ";", "%", "{", "}", "[", "]", "(", ")":
                "#\(scalar.value);"
            case "\u{0}"..."\u{1F}": "\u{FFFD}"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    // MARK: Values

    /// A time in milliseconds, such as "10.0 ms".
    static func milliseconds(_ value: Double) -> String { "\(Decimal.text(value, digits: 1)) ms" }

    /// A volume in decibels, such as "-6.0 dB".
    static func volume(_ level: Source.Level) -> String {
        level.volume > 0 ? "\(Decimal.text(level.volumeInDecibels, digits: 1)) dB" : "-∞ dB"
    }

    /// A place in the stereo mix: "C", or "L" or "R" and a percentage.
    static func pan(_ level: Source.Level) -> String {
        let percent = Int((abs(level.pan) * 100).rounded())
        return percent == 0 ? "C" : (level.pan < 0 ? "L" : "R") + "\(percent)"
    }

    static func channels(_ count: Int) -> String {
        switch count {
        case 1: "mono"
        case 2: "stereo"
        default: "\(count) channels"
        }
    }
}
