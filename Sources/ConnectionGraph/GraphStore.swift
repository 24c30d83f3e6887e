// SPDX-License-Identifier: MIT

/// The parts of a graph, by their serials. Copies share what is alike, so that a snapshot costs nothing.
struct GraphStore: Sendable, Equatable {
    /// Those that own ports.
    private(set) var peers = PersistentMap<Peer>()
    private(set) var ports = PersistentMap<GraphPort>()
    /// The ports of each peer, by its ``key(of:)``.
    private(set) var portsOfPeer = PersistentMap<PersistentMap<GraphPort.ID>>()
    /// Ports that were made with PipeBus.
    private(set) var pipeBusPorts = PersistentMap<GraphPort.ID>()
    /// The connections of sound, which the rules look at.
    private(set) var audio = ConnectionTable()
    /// Those of other media. A medium without connections is left out.
    private(set) var others: [Medium: ConnectionTable] = [:]
    private(set) var departed = DepartedNames()

    /// The daemon's own ports, which have no peer, come first.
    private static func key(of peer: Peer.ID?) -> UInt64 { peer.map { $0.serial &+ 1 } ?? 0 }

    // MARK: Ports and their owners

    /// In no particular order.
    func ports(of peer: Peer.ID?) -> [GraphPort.ID] { (portsOfPeer[Self.key(of: peer)] ?? .init()).map(\.value) }

    func hasPorts(_ peer: Peer.ID) -> Bool { portsOfPeer[Self.key(of: peer)] != nil }

    mutating func set(_ peer: Peer) { peers[peer.id.serial] = peer }

    mutating func removePeer(_ id: Peer.ID) { peers[id.serial] = nil }

    mutating func set(_ port: GraphPort) {
        let serial = port.id.serial
        let old = ports[serial]
        guard old != port else { return }
        ports[serial] = port
        pipeBusPorts[serial] = port.isPipeBus ? port.id : nil
        if let old, old.peer != port.peer { disown(old) }
        portsOfPeer.update(at: Self.key(of: port.peer)) { $0[serial] = port.id }
    }

    private mutating func disown(_ port: GraphPort) {
        portsOfPeer.update(at: Self.key(of: port.peer)) { $0[port.id.serial] = nil }
    }

    /// Removes a port and its connections.
    mutating func removePort(_ id: GraphPort.ID) {
        guard let port = ports[id.serial] else { return }
        audio.removeAll(of: id)
        for medium in others.keys { update(medium) { $0.removeAll(of: id) } }
        ports[id.serial] = nil
        pipeBusPorts[id.serial] = nil
        disown(port)
        departed.add(port)
    }

    // MARK: Connections

    func table(of medium: Medium) -> ConnectionTable { medium == .audio ? audio : others[medium] ?? ConnectionTable() }

    private mutating func update(_ medium: Medium, _ change: (inout ConnectionTable) -> Void) {
        guard medium != .audio else { return change(&audio) }
        change(&others[medium, default: ConnectionTable()])
        if others[medium]?.count == 0 { others[medium] = nil }
    }

    mutating func set(_ connection: Connection) { update(connection.medium) { $0.set(connection) } }

    mutating func remove(_ connection: Connection) {
        update(connection.medium) { $0.remove(from: connection.source, to: connection.destination) }
    }

    /// Adds links to the connection of their ports.
    mutating func add(_ links: [Connection.Link], to ends: ConnectionKey) {
        let present = table(of: ends.medium).connection(from: ends.source, to: ends.destination)?.links ?? []
        set(Connection(ends, links: (present + links).sorted()))
    }

    /// Removes a link, and the connection with its last one.
    mutating func removeLink(_ id: UInt32, from ends: ConnectionKey) {
        guard let connection = table(of: ends.medium).connection(from: ends.source, to: ends.destination) else {
            return
        }
        let links = connection.links.filter { $0.id != id }
        if links.isEmpty { remove(connection) } else { set(Connection(ends, links: links)) }
    }
}

/// The connection that a link belongs to.
struct ConnectionKey: Sendable, Hashable {
    var source: GraphPort.ID
    var destination: GraphPort.ID
    var medium: Medium
}

extension Connection {
    init(_ key: ConnectionKey, links: [Link]) {
        self.init(source: key.source, destination: key.destination, medium: key.medium, links: links)
    }
}

extension PersistentMap {
    /// Changes the map at a key, which is removed once it is empty.
    mutating func update<Inner>(at key: UInt64, _ change: (inout PersistentMap<Inner>) -> Void)
    where Value == PersistentMap<Inner> {
        var inner = self[key] ?? .init()
        change(&inner)
        self[key] = inner.isEmpty ? nil : inner
    }
}
