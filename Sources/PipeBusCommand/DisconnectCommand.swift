// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct DisconnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect", abstract: "Removes all links from one port to another, by whomever they were made.")

    @Argument(help: "The port that gives sound, by a name that `list` shows, or its app.")
    var source: String
    @Argument(help: "The port that takes it.")
    var destination: String
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        try await Patchbay.with(remote) { [source, destination] bus in
            try await bus.disconnect(source, from: destination)
        }
    }
}
