// SPDX-License-Identifier: MIT

/// The graph at one moment: apps, their ports, and the connections between these.
///
/// Everything is in it that carries sound, MIDI or pictures. All functions but ``connections(of:)`` are about sound.
///
/// Snapshots share all that has not changed from one to the next. So a snapshot costs next to nothing to take and to keep, however
/// large the graph is.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
public struct GraphSnapshot: Sendable, Hashable {
    /// Incremented with every change.
    public let revision: UInt64
    let store: GraphStore
    private let lists: GraphLists

    init(revision: UInt64, store: GraphStore, lists: GraphLists = GraphLists()) {
        self.revision = revision
        self.store = store
        self.lists = lists
    }

    /// A graph without ports.
    package init(revision: UInt64) { self.init(revision: revision, store: GraphStore()) }

    /// The graph before the first change, to which a ``GraphDifference`` can be applied.
    public static let empty = GraphSnapshot(revision: 0)

    /// In order of arrival.
    ///
    /// - Complexity: O(*n*) in their number for the first use in a snapshot and its copies, then O(1); likewise for the other lists.
    public var peers: [Peer] { lists.peers(of: store) }
    /// Grouped by peer, each peer's in the order in which the app added them. The daemon's own come first.
    public var ports: [GraphPort] { lists.ports(of: store) }
    /// The connections of sound: one for each pair of ports that has links, including links that other programs made. In the order
    /// of their ports' ids.
    public var connections: [Connection] { lists.connections(of: store) }

    /// The senders that follow each receiver of their app.
    var followers: [GraphLists.FollowedReceiver: [GraphPort]] { lists.followers(of: store) }
    var nodeNameCounts: NodeNameCounts { lists.nodeNameCounts(of: store) }

    /// The connections of a medium, in the same order.
    ///
    /// - Complexity: O(*n*) in their number.
    public func connections(of medium: Medium) -> [Connection] {
        medium == .audio ? connections : store.table(of: medium).outgoing.flatMap { $0.value.map(\.value) }
    }

    /// The app with that identity; `nil` once it is gone.
    public func peer(_ id: Peer.ID) -> Peer? { store.peers[id.serial] }

    /// The port with that identity; `nil` once it is gone.
    public func port(_ id: GraphPort.ID) -> GraphPort? { store.ports[id.serial] }

    /// The app that owns a port; `nil` for the daemon's own ports.
    public func peer(of port: GraphPort) -> Peer? { port.peer.flatMap { peer($0) } }

    /// The direct connection from one port to another, if there is one.
    public func connection(from source: GraphPort.ID, to destination: GraphPort.ID) -> Connection? {
        store.audio.connection(from: source, to: destination)
    }

    /// The direct connections from a port, in order.
    func connections(from source: GraphPort.ID) -> [Connection] {
        (store.audio.outgoing[source.serial] ?? .init()).map(\.value)
    }

    /// The direct connections to a port, in order.
    package func connections(to destination: GraphPort.ID) -> [Connection] {
        (store.audio.incoming[destination.serial] ?? .init()).map(\.value)
    }

    /// Ports connected directly to this one's inputs.
    public func sources(of destination: GraphPort.ID) -> [GraphPort] {
        connections(to: destination).compactMap { port($0.source) }
    }

    /// Ports connected directly to this one's outputs.
    public func destinations(of source: GraphPort.ID) -> [GraphPort] {
        connections(from: source).compactMap { port($0.destination) }
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.revision == right.revision && left.store == right.store
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(revision)
        hasher.combine(store.ports.count)
        hasher.combine(store.audio.count)
    }
}
