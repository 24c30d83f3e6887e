// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Takes a filter out, without a gap: what feeds it goes to what it feeds.",
        discussion: "The filter runs on, without connections. \"pipebus undo\" puts it back.")

    @Argument(help: "The filter, by a name that `list` shows, or its app.")
    var filter: String
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let watch = SignalWatch()
        let history = ChangeHistoryFile(remote: remote.name)
        try await Patchbay.with(remote) { [filter] bus in
            let filter = try PortFinder(await bus.graph).passage(typed: filter)
            let change = try await Interruptible.run(on: bus, since: watch) {
                try await bus.takeOut(filter, lingers: true)
            }
            history.record(change)
            ChangeReport.show(change)
        }
    }
}
