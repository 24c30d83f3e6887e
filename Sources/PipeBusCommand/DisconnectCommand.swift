// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct DisconnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect",
        abstract: "Removes all links from one port to another, including those of other programs.")

    @Argument(help: "The source, by a name that `list` shows, or its app.")
    var source: String
    @Argument(help: "The destination, by a name that `list` shows, or its app.")
    var destination: String
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        try await Patchbay.with(remote) { [source, destination] bus in
            try await bus.disconnect(source, from: destination)
        }
    }
}
