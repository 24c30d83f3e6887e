// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Takes back the last change of connections that pipebus made.",
        discussion: """
            That is what connect, disconnect, insert and remove did, up to 100 of them. What others have changed since stays \
            as it is. "pipebus redo" makes the change again.
            """)

    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        try await Repetition.run(
            remote, nothing: "There is nothing to undo.", take: { $0.undo() }, putBack: { $0.redo() },
            change: { $0.inverse })
    }
}
