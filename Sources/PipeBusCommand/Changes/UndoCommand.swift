// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Takes back the last change of connections that pipebus made.",
        discussion: """
            That is what connect, disconnect, insert, remove and load did, and the keys of watch, up to 100 of them. Levels and \
            bypasses stay, and so does what others have changed since. "pipebus redo" makes the change again.
            """)

    @Flag(help: "Passes over that change, which stays as it is: for one whose ports do not come back.")
    var skip = false
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        if skip { return try Repetition.undo.skip(remote) }
        try await Repetition.undo.run(remote)
    }
}
