// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import Synchronization

/// Lines at the bottom of a terminal that are replaced again and again, also when its size changes. There are none in a pipe, and while
/// the tool runs in the background.
package struct StatusLine {
    /// The lines that are on the terminal, of which there is one.
    private static let shown = Mutex<[String]>([])

    package init() {}

    package mutating func show(_ line: String) { show([line]) }

    package mutating func show(_ lines: [String]) {
        guard Terminal.isInForeground else { return Self.forget() }
        let (columns, rows) = Self.size
        Self.shown.withLock { shown in
            let bounded = Self.bounded(lines, columns: columns, rows: rows)
            // Equal lines are not written again: a person may be typing behind them.
            guard bounded != shown else { return }
            Terminal.write(Self.painting(bounded, over: Self.rows(of: shown, columns: columns)))
            shown = bounded
        }
    }

    /// Removes the lines before other text is printed.
    package mutating func clear() { Self.erase() }

    /// Removes the lines of any status.
    static func erase() {
        shown.withLock { shown in
            guard !shown.isEmpty else { return }
            defer { shown = [] }
            guard Terminal.isInForeground else { return }
            Terminal.write(home(rows(of: shown, columns: size.columns)) + "\u{1B}[J")
        }
    }

    /// Leaves the lines where they are: others write there now.
    private static func forget() { shown.withLock { $0 = [] } }

    // MARK: Text

    /// The part of the lines that fits the terminal.
    ///
    /// A line that wraps cannot be replaced, nor one that has scrolled out at the top. Titles come from other
    /// processes, so all text is made printable.
    static func bounded(_ lines: [String], columns: Int, rows: Int) -> [String] {
        let most = max(rows - 1, 1)
        let kept =
            lines.count > most ? lines.prefix(most - 1) + ["… and \(lines.count - most + 1) more lines"] : lines[...]
        return kept.map { line in
            // By scalars first, because a Character has no largest length.
            let start = String(line.unicodeScalars.prefix(4 * columns))
            return TextColumns.prefix(of: TerminalText.printable(start), columns: max(columns - 1, 1))
        }
    }

    /// Number of rows that lines take. Those that are longer than a terminal which was made narrower are wrapped by it.
    static func rows(of lines: [String], columns: Int) -> Int {
        lines.reduce(0) { $0 + max((TextColumns.count($1) + columns - 1) / max(columns, 1), 1) }
    }

    /// - Parameter shown: number of rows on the terminal, with the cursor in the last of them.
    static func painting(_ lines: [String], over shown: Int) -> String {
        // Without wrapping: some characters take two columns, and only the terminal knows which.
        home(shown) + "\u{1B}[?7l" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J\u{1B}[?7h"
    }

    private static func home(_ shown: Int) -> String { shown > 1 ? "\r\u{1B}[\(shown - 1)A" : "\r" }

    package static var size: (columns: Int, rows: Int) {
        var size = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1 && size.ws_row > 1
        return isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    }
}
