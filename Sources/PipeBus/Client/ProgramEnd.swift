// SPDX-License-Identifier: MIT
import Glibc

/// The report of an error at a program's end.
enum ProgramEnd {
    /// Writes a sentence to standard error, after the program's name.
    static func report(_ sentence: String) {
        let program = CommandLine.arguments.first?.split(separator: "/").last ?? "app"
        let line = "\(program): \(sentence)\n"
        _ = unsafe write(STDERR_FILENO, line, line.utf8.count)
    }
}

extension PipeBusError {
    /// Ends the process with status 1. The ``message`` is written to standard error first.
    ///
    /// Without this call, an error that leaves a program's top level ends the program with a crash report.
    ///
    /// - Realtime: unsafe.
    public func exit() -> Never {
        ProgramEnd.report(message)
        Glibc.exit(EXIT_FAILURE)
    }
}
