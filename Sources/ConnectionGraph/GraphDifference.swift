// SPDX-License-Identifier: MIT

/// The changes from one graph to a later one.
///
/// Parts that both have in common cost nothing, so a difference takes time in the number of changes, however large the graph is.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct GraphDifference: Sendable, Hashable {
    /// The changes of one kind of element.
    public struct Changes<Element: Sendable & Hashable>: Sendable, Hashable {
        /// Those that only the later graph has.
        public fileprivate(set) var added: [Element] = []
        /// Those that both have, as they are in the later graph.
        public fileprivate(set) var changed: [Element] = []
        /// Those that only the earlier graph has, as they were there.
        public fileprivate(set) var removed: [Element] = []

        /// Whether nothing has changed.
        public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

        fileprivate mutating func note(_ before: Element?, _ after: Element?) {
            switch (before, after) {
            case (let before?, nil): removed.append(before)
            case (nil, let after?): added.append(after)
            case (_, let after?): changed.append(after)
            case (nil, nil): break
            }
        }
    }

    /// The revision of the later graph.
    public fileprivate(set) var revision: UInt64
    /// In order of arrival.
    public fileprivate(set) var peers = Changes<Peer>()
    /// In the order of their ids.
    public fileprivate(set) var ports = Changes<GraphPort>()
    /// Sound first, then other media; in the order of the ids of their sources, then of their destinations. A connection changes
    /// with its links.
    public fileprivate(set) var connections = Changes<Connection>()

    /// Whether both graphs have the same peers, ports and connections.
    public var isEmpty: Bool { peers.isEmpty && ports.isEmpty && connections.isEmpty }
}

extension GraphSnapshot {
    /// The changes since an earlier graph.
    ///
    /// Serials begin anew with each daemon. Between graphs of two daemons a port with the id of another one counts as changed.
    ///
    /// - Parameter earlier: any other graph; the fewer changes lie between the two, the less it costs.
    /// - Complexity: O(*k* log *n*) in the number of changes, between snapshots of one client.
    public func difference(from earlier: GraphSnapshot) -> GraphDifference {
        var difference = GraphDifference(revision: revision)
        store.peers.forEachDifference(from: earlier.store.peers) { difference.peers.note($1, $2) }
        store.ports.forEachDifference(from: earlier.store.ports) { difference.ports.note($1, $2) }
        for medium in Medium.allCases {
            let (before, after) = (earlier.store.table(of: medium), store.table(of: medium))
            after.outgoing.forEachDifference(from: before.outgoing) { _, before, after in
                (after ?? .init()).forEachDifference(from: before ?? .init()) { difference.connections.note($1, $2) }
            }
        }
        return difference
    }

    /// The graph after some changes.
    ///
    /// A graph to which the ``difference(from:)`` from it to a later one is applied is the later one.
    public func applying(_ difference: GraphDifference) -> GraphSnapshot {
        var new = store
        for connection in difference.connections.removed { new.remove(connection) }
        for port in difference.ports.removed { new.removePort(port.id) }
        for peer in difference.peers.removed { new.removePeer(peer.id) }
        for peer in difference.peers.added + difference.peers.changed { new.set(peer) }
        for port in difference.ports.added + difference.ports.changed { new.set(port) }
        for connection in difference.connections.added + difference.connections.changed { new.set(connection) }
        return GraphSnapshot(revision: difference.revision, store: new)
    }
}
