// SPDX-License-Identifier: MIT
import Glibc

/// The last words of a program.
enum ProgramEnd {
    /// Writes a sentence to standard error, behind the program's name.
    static func complain(_ sentence: String) {
        let program = CommandLine.arguments.first?.split(separator: "/").last ?? "app"
        let line = "\(program): \(sentence)\n"
        _ = unsafe write(STDERR_FILENO, line, line.utf8.count)
    }
}

extension PipeBusError {
    /// Ends the process with status 1. The ``message`` is written to standard error first.
    ///
    /// An error that leaves the top level of a program otherwise ends it with a crash report.
    ///
    /// - Realtime: unsafe.
    public func exit() -> Never {
        ProgramEnd.complain(message)
        Glibc.exit(EXIT_FAILURE)
    }
}
