// SPDX-License-Identifier: MIT
package import ArgumentParser
import Glibc
import PipeBus

/// The root command of a command-line tool. It prints an error as one sentence and sets the exit status.
///
/// The exit status is 0 for success only, 64 for an invalid command line, and 1 for any other error.
package protocol Tool: AsyncParsableCommand {
    /// Checks the values of the command line.
    ///
    /// The parser calls its own `validate` before it reports an unknown option, and an error from there would hide that
    /// option. This is called after.
    ///
    /// - Throws: `ValidationError`.
    func check() throws

    /// The command that was probably meant by a name that is none; `nil` if nobody can tell.
    static func nearestCommand(to name: String, among names: [String]) -> String?

    /// What is missing before a value that begins with a dash, in a subcommand; `nil` if nobody can tell.
    static func missing(beforeValueOf command: String) -> String?
}

extension Tool {
    package func check() throws {}
    package static func nearestCommand(to name: String, among names: [String]) -> String? { nil }
    package static func missing(beforeValueOf command: String) -> String? { nil }

    /// `@concurrent` as in ArgumentParser, whose method Swift would otherwise choose as the entry point.
    @concurrent
    package static func main() async {
        // A file that may not grow is an error like any other, and does not end the process.
        signal(SIGXFSZ, SIG_IGN)
        endAtOnceByQuit()
        do {
            try checkCommandName(in: Array(CommandLine.arguments.dropFirst()))
            try checkNamesOfFiles(Array(CommandLine.arguments.dropFirst()))
            var command = try await asyncParseAsRoot()
            try (command as? any Tool)?.check()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
            // The work is done. Whoever has gone wants to hear nothing of it.
            do { try Terminal.flush() } catch  where Terminal.hasLostItsReader {}
        } catch {
            end(with: error)
        }
    }

    /// Lets SIGQUIT (control-\) end the tool, as it ends any program. Swift's runtime takes it for a crash: it prints a backtrace
    /// for seconds, and then the tool would go on.
    private static func endAtOnceByQuit() {
        let earlier = signal(SIGQUIT, SIG_DFL)
        // A shell lets a command in the background ignore it; SIG_IGN is 1.
        if unsafe unsafeBitCast(earlier, to: Int.self) == 1 { signal(SIGQUIT, SIG_IGN) }
    }

    /// Checks the name of a subcommand. The parser would call a mistyped one an unexpected argument, and its `help` would
    /// explain the tool instead.
    private static func checkCommandName(in arguments: [String]) throws {
        let commands = configuration.subcommands
        guard !commands.isEmpty, let name = arguments.first == "help" ? arguments.dropFirst().first : arguments.first,
            name != "help", !name.hasPrefix("-")
        else { return }
        if let found = commands.first(where: { $0._commandName == name || $0.configuration.aliases.contains(name) }) {
            return arguments.first == "help" ? () : try checkName(of: found, in: arguments.dropFirst())
        }
        let names = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let nearest = nearestCommand(to: name, among: names)
        throw ValidationError(
            "\(name.quoted) is no command; \(nearest.map { "is \($0.quoted) meant? The" } ?? "the") commands are \(names.dropLast().joined(separator: ", ")) "
                + "and \(names.last ?? "help").")
    }

    /// Checks the name of a subcommand's own one, such as `list` in `action list`.
    private static func checkName(of command: any ParsableCommand.Type, in arguments: ArraySlice<String>) throws {
        let commands = command.configuration.subcommands
        guard !commands.isEmpty, let name = arguments.first, name != "help", !name.hasPrefix("-"),
            !commands.contains(where: { $0._commandName == name || $0.configuration.aliases.contains(name) })
        else { return }
        let names = commands.map { $0._commandName }
        throw ValidationError(
            "\(name.quoted) is no command of \(command._commandName); the commands are \(names.dropLast().joined(separator: ", ")) "
                + "and \(names.last ?? "").")
    }

    /// Checks for names of files that begin with a dash. The parser would take their letters for options, and an "h" in one for the wish for help.
    private static func checkNamesOfFiles(_ arguments: [String]) throws {
        for name in arguments.prefix(while: { $0 != "--" }) where name.hasPrefix("-") && !name.hasPrefix("--") {
            guard name.utf8.count > 2, Double(name) == nil, unsafe access(name, F_OK) == 0 else { continue }
            throw ValidationError("\(name.quoted) begins as an option does; write \("./\(name)".quoted) for the file.")
        }
    }

    private static func end(with error: any Error) -> Never {
        if error is ToolCancellation { Glibc.exit(EXIT_SUCCESS) }
        // A status alone, as of a command that a signal has ended.
        if let code = error as? ExitCode { Glibc.exit(code.rawValue) }
        let status = status(for: error)
        guard status != EXIT_SUCCESS else {
            // The user asked for help.
            print(message(for: error))
            do { try Terminal.flush() } catch { end(with: error) }
            Glibc.exit(EXIT_SUCCESS)
        }
        Terminal.complain(sentence(for: error), as: _commandName)
        Glibc.exit(status)
    }

    private static func sentence(for error: any Error) -> String {
        guard !(error is PipeBusError), !(error is ToolFailure) else { return ErrorText.sentence(for: error) }
        let sentence = message(for: error)
        // A value that begins with a dash and stands where none is expected is taken for an option.
        let isValue = sentence.hasPrefix("Unknown option '-") && sentence.dropFirst(17).first?.isNumber == true
        if isValue, let missing = command.flatMap({ missing(beforeValueOf: $0) }) { return missing }
        return ParserSentence.complete(sentence, help: helpCommand)
    }

    /// What a person types to have the command explained that was given.
    private static var helpCommand: String {
        ([_commandName] + commandPath + ["--help"]).joined(separator: " ")
    }

    /// The subcommand that was given, and its own one.
    private static var commandPath: [String] {
        let words = CommandLine.arguments.dropFirst()
        guard
            let place = words.firstIndex(where: { name in
                configuration.subcommands.contains { $0._commandName == name }
            })
        else { return [] }
        let found = configuration.subcommands.first { $0._commandName == words[place] }
        let own = words[(place + 1)...].first.flatMap { name in
            found?.configuration.subcommands.first { $0._commandName == name }?._commandName
        }
        return [words[place]] + (own.map { [$0] } ?? [])
    }

    /// The subcommand that was given.
    private static var command: String? {
        CommandLine.arguments.dropFirst().first { name in
            configuration.subcommands.contains { $0._commandName == name }
        }
    }

    private static func status(for error: any Error) -> Int32 {
        switch error {
        // Names and numbers come from the command line alone.
        case let error as PipeBusError: error.code == .invalidArgument ? EX_USAGE : EXIT_FAILURE
        case is ToolFailure: EXIT_FAILURE
        default: exitCode(for: error).rawValue
        }
    }
}

/// The end of a tool that was asked to end before it had begun, or that nobody reads any more: there is nothing to say.
package struct ToolCancellation: Error {
    package init() {}
}

/// The reason why a tool failed, for its user.
package struct ToolFailure: Error {
    /// One plain sentence that says what to do.
    package let message: String
    /// The part of it that says why, for those who say the rest in another way.
    package let reason: String?

    package init(_ message: String, reason: String? = nil) { (self.message, self.reason) = (message, reason) }
}
