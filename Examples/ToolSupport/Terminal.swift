// Unsafe for `stdout` and `stderr`: plain C variables, which nobody changes.
@unsafe @preconcurrency import Glibc
// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// What a tool writes, and to whom: a person at a terminal, or another program in a pipe.
package enum Terminal {
    /// Somebody reads along.
    package static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Says on stderr what went wrong, on one line whatever the text contains.
    package static func complain(_ sentence: String, as tool: String) {
        StatusLine.erase()
        try? flush()
        unsafe fputs("\(tool): \(oneLine(sentence))\n", stderr)
    }

    /// A result: a sentence for people; in a pipe, `key=value` pairs on one line.
    package static func report(_ sentence: String, _ values: KeyValuePairs<String, String>) {
        print(TerminalText.printable(isInteractive ? sentence : values.map { "\($0)=\($1)" }.joined(separator: " ")))
    }

    /// Something that only another program waits for, written at once: in a pipe `key=value`, at a terminal nothing. That the
    /// other program is gone is no reason to end; ``flush()`` reports it at the end.
    package static func announce(_ key: String, _ value: String) throws {
        guard !isInteractive else { return }
        print("\(key)=\(TerminalText.printable(value))")
        do { try flush() } catch { if failure.withLock({ $0 != EPIPE && $0 != EIO }) { throw error } }
    }

    /// Writes something that is not a line, at once.
    static func write(_ text: String) {
        unsafe fputs(text, stdout)
        try? flush()
    }

    /// Finds out whether all that was printed could be written.
    package static func flush() throws {
        guard unsafe fflush(stdout) != 0 || ferror(stdout) != 0 else { return }
        // The first reason: later calls have none of their own.
        let code = failure.withLock { code in
            if code == 0 { code = errno }
            return code
        }
        throw ToolFailure("The output could not be written: \(unsafe String(cString: strerror(code))).")
    }

    /// The errno of the first write that failed.
    private static let failure = Mutex<Int32>(0)

    /// Arguments that somebody typed end up in errors: no control character of theirs may reach the terminal.
    private static func oneLine(_ text: String) -> String {
        let words = text.split { $0.isNewline }.joined(separator: " ")
        let cleaned = TerminalText.printable(words)
        let sentence = cleaned.count > 600 ? cleaned.prefix(300) + "…" + cleaned.suffix(299) : cleaned[...]
        return sentence.last.map { ".!?".contains($0) } == true ? String(sentence) : sentence + "."
    }
}
