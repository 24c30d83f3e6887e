// SPDX-License-Identifier: MIT
import PipeBus

/// The names of ports that may stand at a place of a command line. Pure.
struct PortCompletion {
    private let graph: GraphSnapshot

    init(_ graph: GraphSnapshot) { self.graph = graph }

    /// - Returns: names that begin with what is typed, in any case, each of which finds its port.
    func names(for request: CompletionRequest) -> [String] {
        guard let slot = request.slot else { return [] }
        let taken = taken(by: request)
        let ends = ports(for: slot, behind: request.earlier.last).filter { !taken.contains($0.port.id) }
        // An app's name is what people see.
        return OfferedNames.beginning(
            request.current,
            in: [ends.map(appName), ends.map { graph.uniqueName(of: $0.port) }, ends.flatMap(otherNames)]
        )
    }

    /// The ports that no further place of the line can mean: what is inserted stands between two others.
    private func taken(by request: CompletionRequest) -> Set<GraphPort.ID> {
        guard request.command == InsertCommand.self, let filter = request.earlier.first else { return [] }
        return Set(
            [graph.filter(typed: filter), graph.port(typed: filter, as: .source)].flatMap { $0.ports.map(\.id) }.prefix(
                1))
    }

    private typealias End = (port: GraphPort, role: GraphSnapshot.Role)

    private func ports(for slot: CompletionSlot, behind name: String?) -> [End] {
        switch slot {
        case .source: return graph.candidates(for: .source).map { ($0, .source) }
        case .destination: return graph.candidates(for: .destination).map { ($0, .destination) }
        case .filter: return graph.filters.map { ($0, .source) }
        case .connectedSource: return connectedSources
        case .connected:
            return connectedSources
                + graph.candidates(for: .destination).filter { !graph.sources(of: $0.id).isEmpty }.map {
                    ($0, .destination)
                }
        case .connectedDestination: return destinations(of: name)
        case .mixedSource:
            let mixers = graph.ports.filter(\.keepsLevels)
            let mixed = Set(mixers.flatMap { graph.sources(of: $0.id) }.map(\.id))
            return graph.ports.filter { mixed.contains($0.id) }.map { ($0, .source) }
                + mixers.map { ($0, .destination) }
        case .mixer: return destinations(of: name).filter { $0.port.keepsLevels } + sources(of: name)
        case .any:
            return graph.ports.map { ($0, $0.outputs.isEmpty ? .destination : .source) }
        case .app, .triggerApp, .installedApp, .installedFilter, .shownApp, .trigger, .triggerOfApp, .command, .option,
            .words, .file, .action:
            return []
        }
    }

    private var connectedSources: [End] {
        graph.candidates(for: .source).filter { !graph.destinations(of: $0.id).isEmpty }.map { ($0, .source) }
    }

    private func destinations(of name: String?) -> [End] {
        let sources = graph.port(typed: name ?? "", as: .source).ports
        var seen: Set<GraphPort.ID> = []
        return sources.flatMap { graph.destinations(of: $0.id) }.filter { seen.insert($0.id).inserted }
            .map { ($0, .destination) }
    }

    /// The sources in the mix of a receiver.
    private func sources(of name: String?) -> [End] {
        let mixers = graph.port(typed: name ?? "", as: .destination).ports.filter(\.keepsLevels)
        return mixers.flatMap { graph.sources(of: $0.id) }.map { ($0, .source) }
    }

    private func appName(of end: End) -> String {
        if let name = graph.peer(of: end.port)?.name, TypedApp.isTypable(name),
            graph.port(named: name, as: end.role) == .found(end.port)
        {
            return name
        }
        return graph.uniqueName(of: end.port)
    }

    /// "app:port", and the title.
    private func otherNames(of end: End) -> [String] {
        let app = graph.peer(of: end.port)?.name
        return [app.map { "\($0):\(end.port.name)" }, app.map { "\($0)/\(end.port.name)" }, end.port.title]
            .compactMap(\.self)
            .filter { TypedApp.isTypable($0) && graph.port(named: $0, as: end.role) == .found(end.port) }
    }
}
