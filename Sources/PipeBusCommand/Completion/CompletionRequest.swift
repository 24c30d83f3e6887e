// SPDX-License-Identifier: MIT
import ArgumentParser

/// What a shell asks for at a place of a command line. Pure.
struct CompletionRequest {
    /// `nil` where nothing is known that could stand there.
    private(set) var slot: CompletionSlot?
    /// The command, if it is typed already.
    private(set) var command: (any ParsableCommand.Type)?
    /// The words before it that are no options, without the command.
    private(set) var earlier: [String] = []
    /// The daemon that the line names.
    private(set) var remote: String?
    let current: String

    init(_ line: TypedCommandLine, commands: [any ParsableCommand.Type]) {
        current = line.current
        var words = line.words.dropFirst()
        guard !line.words.isEmpty else { return }
        guard let name = words.popFirst() else {
            slot = current.hasPrefix("-") ? .option : .command
            return
        }
        command = commands.first { $0._commandName == name || $0.configuration.aliases.contains(name) }
        guard command != nil || name == "help" else { return }
        var path = command?._commandName ?? name
        // A command with commands of its own.
        let further = command?.configuration.subcommands ?? []
        if !further.isEmpty {
            guard let name = words.popFirst() else {
                slot = current.hasPrefix("-") ? .option : .words(further.map { $0._commandName })
                return
            }
            command = further.first { $0._commandName == name }
            guard command != nil else { return }
            path += " \(name)"
        }
        let options = command.map { CommandOptions(of: $0) }
        while let word = words.popFirst() {
            guard word.hasPrefix("--") else {
                earlier.append(word)
                continue
            }
            guard options?.valued.contains(word) == true else { continue }
            // A value is typed now.
            guard let value = words.popFirst() else {
                slot = CompletionSlot.ofValue(of: word, in: path)
                return
            }
            if word == "--remote" { remote = value }
        }
        slot = current.hasPrefix("-") ? .option : CompletionSlot.at(earlier.count, of: path)
    }
}
