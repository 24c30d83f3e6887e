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
            let graph = await bus.graph
            let filter = try Self.passage(filter, in: graph)
            if let reason = ChangeAdvice.againstRemoving(filter, in: graph) { throw ToolFailure(reason) }
            let change = try await Interruptible.run(on: bus, since: watch) {
                try await bus.takeOut(filter, lingers: true)
            }
            history.record(change)
            ChangeReport.show(change)
        }
    }

    private static func passage(_ name: String, in graph: GraphSnapshot) throws -> GraphPort {
        do {
            return try PortFinder(graph).passage(typed: name)
        } catch let error as PipeBusError {
            throw ChangeAdvice.explained(
                error, "\"pipebus disconnect \(ShellText.quoted(name))\" ends all of its connections.")
        }
    }
}
