// SPDX-License-Identifier: MIT
import ArgumentParser

struct ActionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "action", abstract: "Lists offline actions on sound files, and runs them.",
        discussion: """
            An action is a program that makes a new sound file of one, such as the same sound backwards. It is installed by its desktop \
            entry, and needs no PipeWire. The files that it reads are never changed.
            """, subcommands: [ActionListCommand.self, ActionRunCommand.self])
}
