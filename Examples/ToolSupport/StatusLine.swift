// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import Synchronization

/// Lines at the bottom of a terminal that are written over again and again. In a pipe there are none.
package struct StatusLine {
    /// The lines of a status that are on the terminal, which there is one of.
    private static let shown = Mutex<[String]>([])

    package init() {}

    package mutating func show(_ line: String) { show([line]) }

    package mutating func show(_ lines: [String]) {
        guard Terminal.isInteractive else { return }
        let (columns, rows) = Self.size
        Self.shown.withLock { shown in
            let bounded = Self.bounded(lines, columns: columns, rows: rows)
            // What is there already stays: somebody may be typing behind it.
            guard bounded != shown else { return }
            Terminal.write(Self.painting(bounded, over: shown.count))
            shown = bounded
        }
    }

    /// Takes the lines away, before something is printed that is to stay.
    package mutating func clear() { Self.erase() }

    /// Takes away what any of them shows.
    static func erase() {
        shown.withLock { shown in
            guard !shown.isEmpty else { return }
            Terminal.write(home(shown.count) + "\u{1B}[J")
            shown = []
        }
    }

    // MARK: What is written

    /// As much of it as there is room for: a line that wraps cannot be written over, nor one that has moved out at the
    /// top. Titles come from other processes, so nothing in them may reach the terminal that it would act on.
    static func bounded(_ lines: [String], columns: Int, rows: Int) -> [String] {
        let most = max(rows - 1, 1)
        let kept = lines.count > most ? lines.prefix(most - 1) + ["… and \(lines.count - most + 1) more"] : lines[...]
        return kept.map { line in
            // By scalars first: a Character can be as long as it likes.
            let start = String(line.unicodeScalars.prefix(4 * columns))
            return String(TerminalText.printable(start).prefix(max(columns - 1, 1)))
        }
    }

    /// - Parameter shown: lines that are there now, with the cursor in the last of them.
    static func painting(_ lines: [String], over shown: Int) -> String {
        // Without wrapping meanwhile: some characters take two columns, and only the terminal knows which.
        home(shown) + "\u{1B}[?7l" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J\u{1B}[?7h"
    }

    private static func home(_ shown: Int) -> String { shown > 1 ? "\r\u{1B}[\(shown - 1)A" : "\r" }

    private static var size: (columns: Int, rows: Int) {
        var size = winsize()
        let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1 && size.ws_row > 1
        return isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    }
}
