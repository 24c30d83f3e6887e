// SPDX-License-Identifier: MIT
import ArgumentParser
import PipeBus
import ToolSupport

struct DisconnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect",
        abstract: "Removes all links from one port to another, including those of other programs.",
        discussion: """
            With one name alone all connections of that port are removed, to it and from it; of an app, those of all its ports. \
            "pipebus undo" makes them again.
            """)

    @Argument(
        help: "The source, by a name that `list` shows, or its app; any port or app, if it is the only name.")
    var source: String
    @Argument(help: "The destination, by a name that `list` shows, or its app.")
    var destination: String?
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let history = ChangeHistoryFile(remote: remote.name)
        try await Patchbay.with(remote) { [source, destination] bus in
            let graph = await bus.graph
            let typed = [(source, GraphSnapshot.Role.source)] + (destination.map { [($0, .destination)] } ?? [])
            for (text, role) in typed
            where ConnectEnd(text, role, in: graph, isTyped: true).channel != nil {
                throw ToolFailure("Ports are disconnected with all their channels; name them without one.")
            }
            guard let destination else {
                return try await Disconnection(of: source, in: graph).perform(bus, recordingIn: history)
            }
            try ConnectExpectation(source, destination, in: graph, isTyped: true).checkOrder()
            let finder = PortFinder(graph)
            // Nothing is removed that somebody may not have meant.
            if finder.connected(typed: source, to: destination) == nil,
                let ends = finder.connected(typed: destination, to: source)
            {
                throw ToolFailure(
                    "\(graph.shownName(of: ends.source)) goes to \(graph.shownName(of: ends.destination)); name them the other way round, "
                        + "the source first.")
            }
            let (from, to) = try finder.connectedPorts(typed: source, to: destination)
            let connection = graph.connection(from: from.id, to: to.id)
            let links = connection?.links.count ?? 0
            try await bus.disconnect(from, from: to)
            if let connection {
                history.record(ConnectionChange(connected: [], disconnected: graph.items(of: [connection])))
            } else {
                history.recordLoss()
            }
            Disconnection.report(.init(source: from, destination: to, linkCount: links), in: graph)
        }
    }
}
