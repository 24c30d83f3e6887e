// SPDX-License-Identifier: MIT
package import ArgumentParser
import Glibc
import PipeBus

/// The root command of a command-line tool: says what went wrong in one sentence, and how it ended in its exit status.
///
/// 0 stands for success only, 64 for a command line that cannot be used, 1 for everything else.
package protocol Tool: AsyncParsableCommand {}

extension Tool {
    /// `@concurrent` as ArgumentParser's own, which Swift would otherwise take for the entry point.
    @concurrent
    package static func main() async {
        // A file that can grow no more is an error like any other, and not a reason to die.
        signal(SIGXFSZ, SIG_IGN)
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
            try Terminal.flush()
        } catch {
            end(with: error)
        }
    }

    private static func end(with error: any Error) -> Never {
        let status = status(for: error)
        guard status != EXIT_SUCCESS else {
            // Somebody asked for help, and gets it.
            print(message(for: error))
            do { try Terminal.flush() } catch { end(with: error) }
            Glibc.exit(EXIT_SUCCESS)
        }
        Terminal.complain(sentence(for: error), as: _commandName)
        Glibc.exit(status)
    }

    private static func sentence(for error: any Error) -> String {
        switch error {
        case let error as PipeBusError: error.message
        case let error as ToolFailure: error.message
        default: message(for: error)
        }
    }

    private static func status(for error: any Error) -> Int32 {
        switch error {
        // Names and numbers come from the command line and nowhere else.
        case let error as PipeBusError: error.code == .invalidArgument ? EX_USAGE : EXIT_FAILURE
        case is ToolFailure: EXIT_FAILURE
        default: exitCode(for: error).rawValue
        }
    }
}

/// Why a tool could not do what it was asked, for its user.
package struct ToolFailure: Error {
    /// One plain sentence that says what to do.
    package let message: String

    package init(_ message: String) { self.message = message }
}
