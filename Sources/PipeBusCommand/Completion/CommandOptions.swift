// SPDX-License-Identifier: MIT
import ArgumentParser
import Foundation

/// The options of a command, as its parser declares them.
struct CommandOptions {
    private struct Help: Decodable {
        struct Command: Decodable { var arguments: [Argument]? }
        struct Argument: Decodable {
            struct Name: Decodable { var kind: String, name: String }
            var kind: String
            var names: [Name]?
            var shouldDisplay: Bool?
        }
        var command: Command
    }

    /// With their dashes, in the order of the help.
    private(set) var names: [String] = []
    /// Those that a value follows.
    private(set) var valued: Set<String> = []

    init(of command: any ParsableCommand.Type) {
        guard let help = try? JSONDecoder().decode(Help.self, from: Data(command._dumpHelp().utf8)) else { return }
        for argument in help.command.arguments ?? [] where argument.shouldDisplay ?? true {
            for name in argument.names ?? [] {
                let text = (name.kind == "long" ? "--" : "-") + name.name
                if name.kind == "long" { names.append(text) }
                if argument.kind == "option" { valued.insert(text) }
            }
        }
    }
}
