// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct InsertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "insert",
        abstract: "Puts a filter into a connection, without a gap.",
        discussion: """
            The source goes to the filter then, and the filter to the destination. A PipeBus receiver fades from one to the other \
            in one cycle, when the filter sounds, and the filter has the source's volume. At any other destination both are heard \
            for a moment. "pipebus remove" takes the filter out again, and "pipebus undo" takes the change back.
            """)

    @Argument(help: "The filter: a port with inputs and outputs, by a name that `list` shows, or its app.")
    var filter: String
    @Argument(help: "The source of the connection.")
    var source: String
    @Argument(help: "The destination of the connection.")
    var destination: String
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let watch = SignalWatch()
        let history = ChangeHistoryFile(remote: remote.name)
        try await Patchbay.with(remote) { [filter, source, destination] bus in
            let graph = await bus.graph
            let finder = PortFinder(graph)
            let filter = try Self.passage(filter, finder)
            try ConnectExpectation(source, destination, in: graph, isTyped: true).checkOrder()
            let (from, to) = try finder.connectedPorts(typed: source, to: destination)
            if let reason = ChangeAdvice.againstInserting(filter, from: from, to: to, in: graph) {
                throw ToolFailure(reason)
            }
            let change = try await Interruptible.run(on: bus, since: watch) {
                try await bus.insert(filter, from: from, to: to, lingers: true)
            }
            history.record(change)
            let names = [from, filter, to].map { graph.uniqueName(of: $0) }
            Terminal.report(
                names.map(ShellText.shown).joined(separator: " → "),
                ["source": names[0], "filter": names[1], "destination": names[2]])
        }
    }

    private static func passage(_ name: String, _ finder: PortFinder) throws -> GraphPort {
        do {
            return try finder.passage(typed: name)
        } catch let error as PipeBusError {
            throw ChangeAdvice.explained(error, "name the filter first, then the source and the destination.")
        }
    }
}
