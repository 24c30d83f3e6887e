// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import Synchronization

/// A whole terminal whose content is replaced again and again, as `top` does. ``close()`` brings back what was there before.
package final class FullScreen: Sendable {
    private struct State {
        var isOpen = false
        /// The terminal's settings before, if they were changed.
        var settings: termios?
        /// What ``paint(_:columns:rows:)`` has painted.
        var painted: [String] = []
        var size = (columns: 0, rows: 0)
    }

    /// The cursor, and what was on the screen before.
    private static let restoring: StaticString = "\u{1B}[?25h\u{1B}[?1049l"

    private let state = Mutex(State())
    /// Whether the terminal's locale has all characters. Otherwise those beyond ASCII are shown as "?".
    private let isUnicode: Bool

    package init() { isUnicode = Self.isUnicodeLocale }

    /// Takes the terminal. Keys are then read one by one and not shown.
    package func open() {
        state.withLock { state in
            guard !state.isOpen else { return }
            state.isOpen = true
            state.painted = []
            // Otherwise bringing the settings back would stop a tool that is in the background by then.
            signal(SIGTTOU, SIG_IGN)
            state.settings = Self.readKeysAlone()
            QuitRestorer.arm(settings: state.settings, text: Self.restoring)
            // The alternate screen, without a cursor.
            Terminal.write("\u{1B}[?1049h\u{1B}[?25l")
        }
    }

    /// Brings the terminal back. Idempotent.
    package func close() {
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            Terminal.write("\(Self.restoring)")
            if var settings = state.settings { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
            QuitRestorer.disarm()
        }
    }

    /// Shows lines from the top, as many and as much of each as fit.
    ///
    /// - Parameter makeLines: given the size of the terminal.
    package func show(_ makeLines: (_ columns: Int, _ rows: Int) -> [String]) {
        let (columns, rows) = StatusLine.size
        let text = Self.painting(makeLines(columns, rows), columns: columns, rows: rows, isUnicode: isUnicode)
        state.withLock { if $0.isOpen { Terminal.write(text) } }
    }

    /// Shows lines that fit the terminal, and that are printable but for their styles. Lines that have not changed are not written
    /// again.
    ///
    /// - Parameters:
    ///   - columns: the size of the terminal that the lines were made for.
    ///   - isWhole: whether all lines are written, as after another program has written into the terminal.
    package func paint(_ lines: [String], columns: Int, rows: Int, isWhole: Bool = false) {
        let shown = Array(lines.prefix(max(rows, 1)))
        state.withLock { state in
            guard state.isOpen else { return }
            let isNew = isWhole || state.painted.isEmpty || state.size != (columns, rows)
            let old = isNew ? [] : state.painted
            let text = Self.painting(shown, over: old)
            (state.painted, state.size) = (shown, (columns, rows))
            if !text.isEmpty { Terminal.write(text) }
        }
    }

    /// The present size of the terminal; 80 × 24 if it is not known.
    package static var size: (columns: Int, rows: Int) { StatusLine.size }

    /// The bytes of the keys that were pressed since the last call, as many as are there.
    package func takeInput() -> [UInt8] {
        guard state.withLock({ $0.settings != nil }) else { return [] }
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&input, 1, 0) == 1, input.revents & Int16(POLLIN) != 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
        return count > 0 ? Array(bytes.prefix(count)) : []
    }

    /// Whether the key was pressed since the last call. Other keys are dropped.
    package func takeKey(_ key: Character) -> Bool {
        var found = false
        while case let bytes = takeInput(), !bytes.isEmpty {
            if bytes.contains(where: { Character(Unicode.Scalar($0)) == key }) { found = true }
        }
        return found
    }

    /// - Parameter old: the lines that are on the screen; none if it is painted anew.
    static func painting(_ lines: [String], over old: [String]) -> String {
        let changed = lines.indices.filter { !old.indices.contains($0) || old[$0] != lines[$0] }
        guard !changed.isEmpty || lines.count < old.count || old.isEmpty else { return "" }
        // Erased before: behind a line of the whole width it would take the last letter. Without wrapping: the terminal may count
        // columns in another way.
        let text = changed.map { "\u{1B}[\($0 + 1);1H\u{1B}[2K\(lines[$0])\u{1B}[0m" }.joined()
        let below = lines.count < old.count ? "\u{1B}[\(lines.count + 1);1H\u{1B}[J" : ""
        return "\u{1B}[?7l\(old.isEmpty ? "\u{1B}[2J" : "")\(text)\(below)\u{1B}[?7h"
    }

    static func painting(_ lines: [String], columns: Int, rows: Int, isUnicode: Bool) -> String {
        let kept = lines.prefix(max(rows, 1)).map { line in
            let start = String(line.unicodeScalars.prefix(8 * columns))
            let shown = TextColumns.prefix(of: TerminalText.printable(start), columns: columns)
            return isUnicode ? shown : ascii(shown)
        }
        // Without wrapping: the terminal may count columns in another way.
        return "\u{1B}[H\u{1B}[?7l" + kept.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J\u{1B}[?7h"
    }

    private static func ascii(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            result +=
                character.isASCII
                ? String(character) : String(repeating: "?", count: max(TextColumns.count(String(character)), 1))
        }
    }

    /// As the C library chooses the locale of characters.
    static var isUnicodeLocale: Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { continue }
            let locale = unsafe String(cString: value).lowercased()
            return locale.contains("utf-8") || locale.contains("utf8")
        }
        return false
    }

    /// Turns off lines and echo, and the key that would stop the tool with the terminal in this state.
    ///
    /// - Returns: the settings before; `nil` if they were not changed, as in the background.
    private static func readKeysAlone() -> termios? {
        var settings = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp(),
            unsafe tcgetattr(STDIN_FILENO, &settings) == 0
        else { return nil }
        let before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // VSUSP, by number: `c_cc` is a tuple in Swift.
        settings.c_cc.10 = 0
        guard unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return nil }
        return before
    }
}
