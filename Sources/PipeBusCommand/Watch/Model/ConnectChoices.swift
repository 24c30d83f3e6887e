// SPDX-License-Identifier: MIT
import PipeBus

/// What can be connected with what. Pure.
struct ConnectChoices {
    private let data: WatchData
    private let labels: PortLabels

    init(_ data: WatchData) {
        self.data = data
        labels = PortLabels(data.diagram)
    }

    /// All ports that sound leaves from.
    ///
    /// - Parameter preferred: the one that is chosen first.
    func sources(preferring preferred: GraphPort.ID?) -> Chooser? {
        let items = data.diagram.ports.filter { $0.outputs > 0 }.compactMap { port in
            data.id(ofKey: port.key).map {
                Chooser.Item(label: port.uniqueName, detail: detail(of: port, port.outputs), choice: .source($0))
            }
        }
        guard !items.isEmpty else { return nil }
        let place = preferred.flatMap { id in items.firstIndex { $0.choice == .source(id) } } ?? 0
        return Chooser(title: "Connect which source?", items: items, place: place)
    }

    /// The ports that a source can be connected to: with channels that go together, with room for it, and of no app that would hear
    /// itself then.
    func destinations(of source: GraphPort.ID) -> Chooser? {
        guard let port = data.diagram.ports.first(where: { $0.outputs > 0 && data.id(ofKey: $0.key) == source })
        else { return nil }
        let items = data.diagram.ports.compactMap { other -> Chooser.Item? in
            guard let id = data.id(ofKey: other.key), id != source, Self.fits(port, other),
                !other.feeds.contains(where: { $0.source == port.key && $0.medium == .audio }),
                mayConnect(source, id)
            else { return nil }
            return Chooser.Item(
                label: other.uniqueName, detail: detail(of: other, other.inputs),
                choice: .connect(WatchEdge(source: source, destination: id)))
        }
        return items.isEmpty ? nil : Chooser(title: "Connect \(port.uniqueName) to which port?", items: items)
    }

    private func mayConnect(_ source: GraphPort.ID, _ destination: GraphPort.ID) -> Bool {
        guard let source = data.graph.port(source), let destination = data.graph.port(destination) else { return false }
        return data.graph.selfConnection(from: source, to: destination) == nil
    }

    private static func fits(_ source: GraphDiagram.Port, _ destination: GraphDiagram.Port) -> Bool {
        guard destination.inputs > 0 else { return false }
        if let lanes = destination.lanes, lanes.used >= lanes.all { return false }
        return source.outputs == destination.inputs || source.outputs == 1 && destination.inputs == 2
    }

    private func detail(of port: GraphDiagram.Port, _ channels: Int) -> String {
        (port.hasOwnTitle ? "\(port.title), " : "") + DiagramText.channels(channels)
    }

    /// Some connections, to disconnect one of them.
    func connections(_ edges: [WatchEdge]) -> Chooser {
        let names = Dictionary(
            data.diagram.ports.compactMap { port in data.id(ofKey: port.key).map { ($0, port.uniqueName) } }
        ) {
            first, _ in first
        }
        let items = edges.map { edge in
            Chooser.Item(
                label: "\(names[edge.source] ?? "?") → \(names[edge.destination] ?? "?")", choice: .disconnect(edge))
        }
        // The last one is that which the level is of.
        return Chooser(title: "Disconnect which two?", items: items, place: items.count - 1)
    }

    func filters(_ ids: [GraphPort.ID]) -> Chooser {
        let items = data.diagram.ports.compactMap { port -> Chooser.Item? in
            guard let id = data.id(ofKey: port.key), ids.contains(id) else { return nil }
            return Chooser.Item(
                label: port.uniqueName, detail: port.isBypassed ? "bypassed" : "", choice: .bypass(id))
        }
        return Chooser(title: "Bypass which filter?", items: items)
    }
}
