// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct RedoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo", abstract: "Makes the change again that \"pipebus undo\" took back last.")

    @Flag(help: "Passes over that change, which stays as it is: for one whose ports do not come back.")
    var skip = false
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        if skip { return try Repetition.redo.skip(remote) }
        try await Repetition.redo.run(remote)
    }
}
