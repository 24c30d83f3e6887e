// SPDX-License-Identifier: MIT
import PipeBus

/// The part of a graph that a name stands for. Pure.
struct GraphFilter {
    private let graph: GraphSnapshot
    /// The receivers that senders follow, as in a mixer, and the senders that follow them.
    private var followed: [GraphPort.ID: [GraphPort]] = [:]
    private var followers: [GraphPort.ID: [GraphPort]] = [:]

    /// The ports at the other ends of connections that carry no sound.
    private var otherSources: [GraphPort.ID: [GraphPort]] = [:]
    private var otherDestinations: [GraphPort.ID: [GraphPort]] = [:]

    private init(_ graph: GraphSnapshot) {
        self.graph = graph
        let ports = graph.ports
        for connection in Medium.others.flatMap({ graph.connections(of: $0) }) {
            guard let source = graph.port(connection.source), let destination = graph.port(connection.destination)
            else { continue }
            otherSources[destination.id, default: []].append(source)
            otherDestinations[source.id, default: []].append(destination)
        }
        for sender in ports where sender.followedReceiver != nil && sender.peer != nil {
            for receiver in ports where receiver.isFollowed(by: sender) {
                followed[sender.id, default: []].append(receiver)
                followers[receiver.id, default: []].append(sender)
            }
        }
    }

    /// The ports whose app, unique name or title contains a text, in upper or lower case, with all ports upstream and
    /// downstream of them, also through mixers, and of any medium. Empty if there are none.
    static func ports(matching text: String, in graph: GraphSnapshot) -> Set<GraphPort.ID> {
        let matching = ports(named: text, in: graph)
        let filter = GraphFilter(graph)
        return filter.reached(from: matching, filter.upstream).union(filter.reached(from: matching, filter.downstream))
    }

    /// The ports whose app, unique name or title contains a text, in upper or lower case.
    static func ports(named text: String, in graph: GraphSnapshot) -> [GraphPort] {
        let wanted = text.lowercased()
        return graph.ports.filter { port in
            let peer = graph.peer(of: port)
            return [graph.uniqueName(of: port), port.title, port.nodeName, peer?.name, peer?.applicationID]
                .contains { $0?.lowercased().contains(wanted) == true }
        }
    }

    private func upstream(_ port: GraphPort) -> [GraphPort] {
        graph.sources(of: port.id) + (followed[port.id] ?? []) + (otherSources[port.id] ?? [])
    }

    private func downstream(_ port: GraphPort) -> [GraphPort] {
        graph.destinations(of: port.id) + (followers[port.id] ?? []) + (otherDestinations[port.id] ?? [])
    }

    private func reached(from ports: [GraphPort], _ next: (GraphPort) -> [GraphPort]) -> Set<GraphPort.ID> {
        var found = Set(ports.map(\.id))
        var waiting = ports
        while let port = waiting.popLast() { waiting += next(port).filter { found.insert($0.id).inserted } }
        return found
    }
}

extension GraphPort {
    /// Whether a sender's sound comes from this receiver, as their app declares.
    func isFollowed(by sender: GraphPort) -> Bool {
        isPipeBus && kind == .receiver && peer != nil && peer == sender.peer && name == sender.followedReceiver
    }
}
