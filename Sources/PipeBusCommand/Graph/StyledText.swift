// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// A text in pieces of different colours, for a terminal or a pipe.
struct StyledText: Sendable {
    enum Style: Sendable {
        case plain, bold, dim, sender, filter, receiver, device, warning, marked

        /// The parameters of the terminal's sequence that begins the style.
        fileprivate var code: String {
            switch self {
            case .plain: ""
            case .bold: "1"
            case .dim: "2"
            case .sender: "32"
            case .filter: "33"
            case .receiver: "36"
            case .device: "35"
            case .warning: "31"
            case .marked: "1;36"
            }
        }
    }

    private struct Piece {
        var text: String
        var style: Style
        var isEmphasized = false

        /// The parameters of the terminal's sequence before it.
        var code: String {
            let code = style.code
            guard isEmphasized, style != .dim, style != .bold, style != .marked else { return code }
            return code.isEmpty ? "1" : "1;\(code)"
        }
    }

    private var pieces: [Piece] = []

    init(_ text: String = "", _ style: Style = .plain) { append(text, style) }

    /// Appends a text. It is made printable: no name may do anything to the terminal.
    mutating func append(_ text: String, _ style: Style = .plain) {
        if !text.isEmpty { pieces.append(Piece(text: TerminalText.printable(text), style: style)) }
    }

    /// The same in bold letters, but for what is dim.
    var emphasized: StyledText {
        var result = self
        for index in result.pieces.indices { result.pieces[index].isEmphasized = true }
        return result
    }

    static func + (left: Self, right: Self) -> Self {
        var both = left
        both.pieces += right.pieces
        return both
    }

    var columns: Int { pieces.reduce(0) { $0 + TextColumns.count($1.text) } }

    /// The text in exactly so many columns, cut with "…" or filled with spaces.
    func fitted(to columns: Int, isRight: Bool = false) -> StyledText {
        let missing = columns - self.columns
        if missing >= 0 {
            let spaces = StyledText(String(repeating: " ", count: missing))
            return isRight ? spaces + self : self + spaces
        }
        var result = StyledText()
        var left = columns
        for piece in pieces where left > 0 {
            let width = TextColumns.count(piece.text)
            // The last column is for the mark, unless this piece and nothing else ends there.
            var cut = piece
            if width >= left { cut.text = TextColumns.fit(piece.text + " ", to: left) }
            result.pieces.append(cut)
            left -= min(width, left)
        }
        return result
    }

    /// The text, with colours or without, and without spaces at its end.
    func text(hasColour: Bool) -> String {
        let trimmed = trimmed()
        guard hasColour else { return trimmed.pieces.map(\.text).joined() }
        return trimmed.pieces.map { piece in
            piece.code.isEmpty ? piece.text : "\u{1B}[\(piece.code)m\(piece.text)\u{1B}[0m"
        }.joined()
    }

    private func trimmed() -> StyledText {
        var result = self
        while let last = result.pieces.popLast() {
            let kept = String(last.text.reversed().drop { $0 == " " }.reversed())
            guard kept.isEmpty else {
                var rest = last
                rest.text = kept
                result.pieces.append(rest)
                break
            }
        }
        return result
    }
}
