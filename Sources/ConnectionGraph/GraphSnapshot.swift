// SPDX-License-Identifier: MIT

/// The graph at one moment: apps, their ports, and the connections between these.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct GraphSnapshot: Sendable, Hashable {
    /// Incremented with every change.
    public let revision: UInt64
    /// In order of arrival.
    public let peers: [Peer]
    /// Grouped by peer, each peer's in the order in which the app added them.
    public let ports: [GraphPort]
    /// One for each pair of ports that has links, including links that other programs made.
    public let connections: [Connection]
    private let index: GraphIndex

    package init(revision: UInt64, peers: [Peer], ports: [GraphPort], connections: [Connection]) {
        self.revision = revision
        self.peers = peers
        self.ports = ports
        self.connections = connections
        index = GraphIndex(peers: peers, ports: ports, connections: connections)
    }

    private init(_ other: GraphSnapshot, connections: [Connection], revision: UInt64) {
        self.revision = revision
        peers = other.peers
        ports = other.ports
        self.connections = connections
        index = other.index.replacing(connections: connections)
    }

    /// The same ports with other connections. The ports are not copied.
    func replacing(connections: [Connection], revision: UInt64) -> GraphSnapshot {
        GraphSnapshot(self, connections: connections, revision: revision)
    }

    /// The app with that identity; `nil` once it is gone.
    public func peer(_ id: Peer.ID) -> Peer? { index.peers[id].map { peers[$0] } }

    /// The port with that identity; `nil` once it is gone.
    public func port(_ id: GraphPort.ID) -> GraphPort? { index.ports[id].map { ports[$0] } }

    /// The app that owns a port; `nil` for the daemon's own ports.
    public func peer(of port: GraphPort) -> Peer? { port.peer.flatMap { peer($0) } }

    /// The direct connection from one port to another, if there is one.
    public func connection(from source: GraphPort.ID, to destination: GraphPort.ID) -> Connection? {
        connections(from: source).first { $0.destination == destination }
    }

    /// The direct connections from a port, in order.
    func connections(from source: GraphPort.ID) -> [Connection] {
        (index.outgoing[source] ?? []).map { connections[$0] }
    }

    /// The direct connections to a port, in order.
    package func connections(to destination: GraphPort.ID) -> [Connection] {
        (index.incoming[destination] ?? []).map { connections[$0] }
    }

    /// Ports connected directly to this one's inputs.
    public func sources(of destination: GraphPort.ID) -> [GraphPort] {
        connections(to: destination).compactMap { port($0.source) }
    }

    /// Ports connected directly to this one's outputs.
    public func destinations(of source: GraphPort.ID) -> [GraphPort] {
        connections(from: source).compactMap { port($0.destination) }
    }
}
