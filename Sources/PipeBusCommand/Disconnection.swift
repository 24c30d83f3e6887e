// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// All connections of sound that `disconnect` ends for one name. Pure.
struct Disconnection {
    struct Ends: Hashable {
        var source: GraphPort
        var destination: GraphPort
        /// The number of links; 0 for a source that the port has disconnected until it answers.
        var linkCount: Int
    }

    /// In the natural order of their names.
    let connections: [Ends]
    private let graph: GraphSnapshot

    /// - Parameter name: of a port, or of an app, which stands for all of its ports.
    /// - Throws: ``ToolFailure`` for a name that fits nothing, or several ports, or nothing that is connected.
    init(of name: String, in graph: GraphSnapshot) throws {
        self.graph = graph
        let ports: [GraphPort]
        switch graph.ports(typed: name) {
        case .found(let found): ports = found
        case .missing:
            // The error has suggestions; a name that fits no port as a source is one that fits none.
            let found = try PortFinder(graph).find(typed: name, as: .destination)
            ports = [try found ?? PortFinder(graph).require(typed: name, as: .source)]
        case .ambiguous(let found):
            let names = found.naturallySorted { graph.uniqueName(of: $0) }.map { port in
                let shown = graph.shownName(of: port)
                return shown == graph.uniqueName(of: port) ? "\"\(shown)\"" : shown
            }
            throw ToolFailure("\(name.quoted) could be any of \(Self.listed(names)); say which.")
        }
        let ids = Set(ports.map(\.id))
        let present = graph.connections.filter { ids.contains($0.source) || ids.contains($0.destination) }
        let stalled = graph.ports.flatMap { port in
            port.stalledSources.filter { ids.contains($0) || ids.contains(port.id) }.map { ($0, port.id, 0) }
        }
        let pairs = Set(present.map { [$0.source, $0.destination] })
        let all =
            present.map { ($0.source, $0.destination, $0.links.count) }
            + stalled.filter { !pairs.contains([$0.0, $0.1]) }
        let ends = all.compactMap { source, destination, links -> Ends? in
            guard let from = graph.port(source), let to = graph.port(destination), !graph.isAutomaticMonitor(from)
            else {
                return nil
            }
            return Ends(source: from, destination: to, linkCount: links)
        }
        connections = ends.naturallySorted { [graph.uniqueName(of: $0.source), graph.uniqueName(of: $0.destination)] }
        guard !connections.isEmpty else {
            let what = ports.count == 1 ? graph.shownName(of: ports[0]) : name.quoted
            throw ToolFailure("\(what) has no connections; \"pipebus list\" shows who is connected.")
        }
    }

    /// What is about to be done, for a person.
    var announcement: String {
        let names = connections.map { "\(graph.shownName(of: $0.source)) → \(graph.shownName(of: $0.destination))" }
        return "Disconnecting \(Self.listed(names)); \"pipebus undo\" connects again."
    }

    private static func listed(_ names: [String]) -> String {
        let shown = names.prefix(6).joined(separator: ", ")
        return names.count > 6 ? "\(shown) and \(names.count - 6) more" : shown
    }

    /// Ends them, one after the other, and reports each. What was ended is one change, also if another one fails.
    func perform(_ bus: BusClient, recordingIn history: ChangeHistoryFile) async throws {
        if connections.count > 1 { Terminal.note(announcement) }
        var items: [ConnectionChange.Item] = []
        var isOneUnknown = false
        defer {
            history.record(ConnectionChange(connected: [], disconnected: items))
            if isOneUnknown { history.recordLoss() }
        }
        for ends in connections {
            let connection = graph.connection(from: ends.source.id, to: ends.destination.id)
            do {
                try await bus.disconnect(ends.source, from: ends.destination)
            } catch let error as PipeBusError where [.notConnected, .unknownPort].contains(error.code) {
                // Somebody else has ended it meanwhile, or its app.
                continue
            }
            items += graph.items(of: [connection].compactMap(\.self))
            isOneUnknown = isOneUnknown || connection == nil
            Self.report(ends, in: graph)
        }
    }

    /// The line about a connection that was ended.
    static func report(_ ends: Ends, in graph: GraphSnapshot) {
        let names = (graph.uniqueName(of: ends.source), graph.uniqueName(of: ends.destination))
        Terminal.report(
            "\(ShellText.shown(names.0)) no longer goes to \(ShellText.shown(names.1)), \(LinkCount.words(ends.linkCount)) removed",
            ["source": names.0, "destination": names.1, "links": "\(ends.linkCount)"])
    }
}
