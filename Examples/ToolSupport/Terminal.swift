// Unsafe for `stdout` and `stderr`: plain C variables, which are never changed.
@unsafe @preconcurrency import Glibc
// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The output of a tool, for a person at a terminal or for another program in a pipe.
package enum Terminal {
    /// Whether the output is a terminal.
    package static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether the output is a terminal that is not in use by another program: the shell, while the tool runs in the background.
    package static var isInForeground: Bool {
        guard isInteractive else { return false }
        // -1 on a terminal that is not this session's: nobody types there.
        let group = tcgetpgrp(STDOUT_FILENO)
        return group < 0 || group == getpgrp()
    }

    /// The width of the terminal in columns; 80 if it is not known.
    package static var columns: Int { StatusLine.size.columns }

    /// Whether the locale has all characters, and not those of ASCII alone.
    package static var isUnicode: Bool { FullScreen.isUnicodeLocale }

    /// Whether colours are wanted: on a terminal that has them, unless the person turned them off (https://no-color.org).
    package static var hasColour: Bool {
        func value(_ name: String) -> String { unsafe getenv(name).map { unsafe String(cString: $0) } ?? "" }
        return isInteractive && value("NO_COLOR").isEmpty && !["", "dumb"].contains(value("TERM"))
    }

    /// Whether a person has typed this command at a shell's prompt: its input is a terminal, and it leads a process group of its
    /// own, which no command of a script does.
    package static var isTyped: Bool { isatty(STDIN_FILENO) == 1 && getpgrp() == getpid() }

    /// Prints an error on stderr, on one line whatever the text contains.
    package static func complain(_ sentence: String, as tool: String) {
        StatusLine.erase()
        try? flush()
        unsafe fputs("\(tool): \(oneLine(sentence))\n", stderr)
    }

    /// Prints a hint for a person on stderr, on one line; nothing unless stderr is a terminal.
    package static func note(_ sentence: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        unsafe fputs("\(oneLine(sentence))\n", stderr)
    }

    /// Prints a result: a sentence on a terminal; in a pipe, `key=value` pairs on one line, each a word of a shell.
    package static func report(_ sentence: String, _ values: KeyValuePairs<String, String>) {
        print(isInteractive ? TerminalText.printable(sentence) : KeyValueLine.text(values))
    }

    /// Prints a value for another program at once: in a pipe `key=value`, on a terminal nothing.
    ///
    /// If the other program is gone, the tool goes on.
    package static func announce(_ key: String, _ value: String) throws {
        guard !isInteractive else { return }
        print("\(key)=\(TerminalText.printable(value))")
        do { try flush() } catch  where hasLostItsReader {}
    }

    /// Writes text that is not a line, at once.
    static func write(_ text: String) {
        unsafe fputs(text, stdout)
        try? flush()
    }

    /// Ends the output for its reader, while the tool goes on. What is printed later goes nowhere.
    package static func closeOutput() {
        let nowhere = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        dup2(nowhere, STDOUT_FILENO)
        close(nowhere)
    }

    /// Checks that everything printed could be written.
    package static func flush() throws {
        guard unsafe fflush(stdout) != 0 || ferror(stdout) != 0 else { return }
        // The first error counts: later calls have no reason of their own.
        let code = failure.withLock { code in
            if code == 0 { code = errno }
            return code
        }
        throw ToolFailure(
            "The output could not be written (\(unsafe String(cString: strerror(code)))); send it elsewhere.")
    }

    /// Whether nobody can read the output any more: the program behind the pipe has gone, as `head` does when it has its lines,
    /// the terminal was closed, or the output was closed from the beginning (`>&-`).
    package static var hasLostItsReader: Bool {
        switch failure.withLock(\.self) {
        case EPIPE, EBADF: true
        // A disk that fails gives this error too.
        case EIO: isCharacterDevice
        default: false
        }
    }

    /// Whether the program behind the pipe has gone, also while nothing is written. `false` where the output is no pipe.
    package static var isWithoutReader: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return unsafe poll(&output, 1, 0) == 1 && output.revents & Int16(POLLERR) != 0
    }

    /// A closed terminal says of itself that it is none.
    private static var isCharacterDevice: Bool {
        var status = stat()
        return unsafe fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
    }

    /// The errno of the first write that failed.
    private static let failure = Mutex<Int32>(0)

    /// Text on one line. Typed arguments end up in errors, and no control character of theirs may reach the terminal.
    private static func oneLine(_ text: String) -> String {
        let words = text.split { $0.isNewline }.joined(separator: " ")
        let cleaned = TerminalText.printable(words)
        let sentence = cleaned.count > 600 ? cleaned.prefix(300) + "…" + cleaned.suffix(299) : cleaned[...]
        return sentence.last.map { ".!?".contains($0) } == true ? String(sentence) : sentence + "."
    }
}
