// SPDX-License-Identifier: MIT

/// The places of peers, ports and connections in a snapshot, by their identities: every rule walks the graph.
///
/// The index follows from the rest of the snapshot. So it makes no two snapshots different.
struct GraphIndex: Sendable, Hashable {
    private(set) var peers: [Peer.ID: Int] = [:]
    private(set) var ports: [GraphPort.ID: Int] = [:]
    /// Connections by the ports that they come from and go to.
    private(set) var outgoing: [GraphPort.ID: [Int]] = [:]
    private(set) var incoming: [GraphPort.ID: [Int]] = [:]

    init(peers: [Peer], ports: [GraphPort], connections: [Connection]) {
        for (place, peer) in peers.enumerated() { self.peers[peer.id] = place }
        for (place, port) in ports.enumerated() { self.ports[port.id] = place }
        index(connections)
    }

    /// The index of the same ports with other connections.
    func replacing(connections: [Connection]) -> GraphIndex {
        var other = self
        other.outgoing = [:]
        other.incoming = [:]
        other.index(connections)
        return other
    }

    private mutating func index(_ connections: [Connection]) {
        for (place, connection) in connections.enumerated() {
            outgoing[connection.source, default: []].append(place)
            incoming[connection.destination, default: []].append(place)
        }
    }

    static func == (_: Self, _: Self) -> Bool { true }
    func hash(into _: inout Hasher) {}
}
