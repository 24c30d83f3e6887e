// SPDX-License-Identifier: MIT

/// What is in the graph at one moment: apps, their ports, and what is connected to what.
///
/// - Thread: any. A value.
public struct GraphSnapshot: Sendable, Hashable {
    /// Grows with every change.
    public let revision: UInt64
    /// In the order in which they came.
    public let peers: [Peer]
    /// Grouped by peer, each peer's in the order in which it added them.
    public let ports: [GraphPort]
    /// One for each pair of ports that has links, by whomever they were made.
    public let connections: [Connection]

    package init(revision: UInt64, peers: [Peer], ports: [GraphPort], connections: [Connection]) {
        self.revision = revision
        self.peers = peers
        self.ports = ports
        self.connections = connections
    }

    /// The app of that identity, if it is there.
    ///
    /// - Complexity: O(*n*) in the number of peers, as for the lookups below.
    public func peer(_ id: Peer.ID) -> Peer? { peers.first { $0.id == id } }

    /// The port of that identity, if it is there.
    public func port(_ id: GraphPort.ID) -> GraphPort? { ports.first { $0.id == id } }

    /// The app that owns a port; `nil` for the daemon's own ports.
    public func peer(of port: GraphPort) -> Peer? { port.peer.flatMap { peer($0) } }

    /// What goes straight from one port to the other, if anything.
    public func connection(from source: GraphPort.ID, to destination: GraphPort.ID) -> Connection? {
        connections.first { $0.source == source && $0.destination == destination }
    }

    /// Ports connected straight to this one's inputs.
    public func sources(of destination: GraphPort.ID) -> [GraphPort] {
        connections.filter { $0.destination == destination }.compactMap { port($0.source) }
    }

    /// Ports connected straight to this one's outputs.
    public func destinations(of source: GraphPort.ID) -> [GraphPort] {
        connections.filter { $0.source == source }.compactMap { port($0.destination) }
    }
}
