// SPDX-License-Identifier: MIT
import PipeBus

/// The events between two graphs. Pure.
struct GraphEvents {
    private let before: GraphSnapshot
    private let after: GraphSnapshot
    private let filter: String?
    private let hasAllLinks: Bool

    /// - Parameters:
    ///   - filter: a part of the names of the ports that events are about; `nil` for all.
    ///   - hasAllLinks: whether each change of links is an event. Otherwise those of a whole connection that stays whole are
    ///     left out.
    init(from before: GraphSnapshot, to after: GraphSnapshot, filter: String? = nil, hasAllLinks: Bool = true) {
        self.before = before
        self.after = after
        self.hasAllLinks = hasAllLinks
        self.filter = filter?.lowercased()
    }

    /// What goes first, connections before their ports; then what comes, ports before their connections.
    var all: [WatchEvent] {
        let changes = after.difference(from: before)
        // Of two daemons a port may have the id of another one.
        let others = changes.ports.changed.filter { before.port($0.id)?.nodeName != $0.nodeName }
        let replaced = Set(others.map(\.id))
        let connections = changes.connections
        let gone =
            connections.removed.map { connection(.disconnected, $0, in: before) }
            + (changes.ports.removed + others.compactMap { before.port($0.id) }).map {
                port(.portRemoved, $0, in: before)
            }
        let come =
            (changes.ports.added + others).map { port(.portAdded, $0, in: after) }
            + changes.ports.changed.filter { !replaced.contains($0.id) }.compactMap(changedPort)
        let joined =
            connections.added.map { connection(.connected, $0, in: after) }
            + connections.changed.compactMap(changedConnection)
        return (gone + come + joined).compactMap(\.self)
    }

    private func matches(_ port: GraphPort?, in graph: GraphSnapshot) -> Bool {
        guard let filter else { return true }
        guard let port else { return false }
        let peer = graph.peer(of: port)
        return [graph.uniqueName(of: port), port.title, peer?.name, peer?.applicationID].contains {
            $0?.lowercased().contains(filter) == true
        }
    }

    private func port(_ kind: WatchEvent.Kind, _ port: GraphPort, in graph: GraphSnapshot) -> WatchEvent? {
        guard matches(port, in: graph) else { return nil }
        var event = WatchEvent(kind)
        event.port = graph.uniqueName(of: port)
        event.title = port.title
        event.app = graph.peer(of: port)?.name
        event.kind = port.kind.rawValue
        event.isDevice = port.isDevice
        event.isPipeBus = port.isPipeBus
        event.isBypassed = port.isBypassed
        event.media = Medium.allCases.filter(port.media.contains).map(\.rawValue)
        return event
    }

    /// A port grows channel by channel, which is no event.
    private func changedPort(_ now: GraphPort) -> WatchEvent? {
        guard let old = before.port(now.id), old.title != now.title || old.isBypassed != now.isBypassed else {
            return nil
        }
        return port(.portChanged, now, in: after)
    }

    private func connection(
        _ kind: WatchEvent.Kind, _ connection: Connection, in graph: GraphSnapshot
    ) -> WatchEvent? {
        guard let source = graph.port(connection.source), let destination = graph.port(connection.destination),
            matches(source, in: graph) || matches(destination, in: graph)
        else { return nil }
        var event = WatchEvent(kind)
        event.source = graph.uniqueName(of: source)
        event.destination = graph.uniqueName(of: destination)
        event.medium = connection.medium.rawValue
        if kind != .disconnected { event.links = LinkCount(of: connection, in: graph) }
        return event
    }

    private func changedConnection(_ now: Connection) -> WatchEvent? {
        let old = before.connections(of: now.medium).first {
            $0.source == now.source && $0.destination == now.destination
        }
        guard let old, old.links.count != now.links.count else { return nil }
        if !hasAllLinks, !LinkCount(of: old, in: before).isPartial, !LinkCount(of: now, in: after).isPartial {
            return nil
        }
        return connection(.linksChanged, now, in: after)
    }
}
