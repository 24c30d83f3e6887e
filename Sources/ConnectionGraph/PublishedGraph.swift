// SPDX-License-Identifier: MIT

/// The graph of the last snapshot, and the objects that have changed since. Pure.
///
/// Objects come and go in any order, and many come at once. So a change only marks what is stale, and the next snapshot brings that
/// up to date.
struct PublishedGraph: Sendable {
    private(set) var store = GraphStore()
    /// Those of all snapshots with this store.
    private var lists = GraphLists()
    /// The ports of the store by their nodes.
    private(set) var portOfNode: [UInt32: GraphPort.ID] = [:]
    /// The ends of the store's links.
    private var endsOfLink: [UInt32: ConnectionKey] = [:]

    /// By global ids, like all of these. An object may be gone.
    private(set) var staleClients: Set<UInt32> = []
    private(set) var staleNodes: Set<UInt32> = []
    private(set) var nodesWithStaleChannels: Set<UInt32> = []
    private(set) var staleLinks: Set<UInt32> = []

    // MARK: Marking

    var isStale: Bool { !staleClients.isEmpty || !staleNodes.isEmpty || !staleLinks.isEmpty }

    mutating func clientChanges(_ id: UInt32) { staleClients.insert(id) }

    mutating func nodeChanges(_ id: UInt32) { staleNodes.insert(id) }

    mutating func channelsChange(ofNode id: UInt32) {
        staleNodes.insert(id)
        nodesWithStaleChannels.insert(id)
    }

    mutating func linkChanges(_ id: UInt32) { staleLinks.insert(id) }

    mutating func finishUpdate() {
        lists = GraphLists()
        staleClients = []
        staleNodes = []
        nodesWithStaleChannels = []
        staleLinks = []
    }

    /// Whether nothing is kept, as before the first event.
    var isEmpty: Bool { !isStale && store == GraphStore() && portOfNode.isEmpty && endsOfLink.isEmpty }

    // MARK: Bringing up to date

    func snapshot(revision: UInt64) -> GraphSnapshot { GraphSnapshot(revision: revision, store: store, lists: lists) }

    func port(ofNode id: UInt32) -> GraphPort? { portOfNode[id].flatMap { store.ports[$0.serial] } }

    /// Removes the port of a node, unless it stays. All that go are removed before any comes, whose serial may be that of one.
    ///
    /// - Parameter port: the node's port from now on, for ``insert(_:ofNode:)``.
    /// - Returns: the peer that owned the port of the node until now, by its serial.
    mutating func remove(node id: UInt32, replacedBy port: GraphPort?) -> UInt64? {
        guard let old = self.port(ofNode: id), old.nodeID == id else { return nil }
        if old.id != port?.id { store.removePort(old.id) }
        return old.peer?.serial
    }

    mutating func insert(_ port: GraphPort?, ofNode id: UInt32) {
        if let port { store.set(port) }
        portOfNode[id] = port?.id
    }

    /// A peer without ports is not in the graph.
    mutating func replace(peer serial: UInt64, by peer: Peer?) {
        let id = Peer.ID(serial: serial)
        if let peer, store.hasPorts(id) { store.set(peer) } else { store.removePeer(id) }
    }

    mutating func add(_ links: [Connection.Link], to ends: ConnectionKey) {
        store.add(links, to: ends)
        for link in links { endsOfLink[link.id] = ends }
    }

    mutating func remove(link id: UInt32) {
        guard let ends = endsOfLink.removeValue(forKey: id) else { return }
        store.removeLink(id, from: ends)
    }
}
