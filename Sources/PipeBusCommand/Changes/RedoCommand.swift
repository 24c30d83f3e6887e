// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct RedoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo", abstract: "Makes the change again that \"pipebus undo\" took back last.")

    @OptionGroup var remote: RemoteOptions

    func run() async throws { try await Repetition.redo.run(remote) }
}
