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
    /// The connections of each port, by the serials of the ports that they go to and come from.
    private(set) var outgoing = PersistentMap<PersistentMap<Connection>>()
    private(set) var incoming = PersistentMap<PersistentMap<Connection>>()
    private(set) var connectionCount = 0

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
        for (serial, _) in outgoing[id.serial] ?? .init() { remove(from: id, to: GraphPort.ID(serial: serial)) }
        for (serial, _) in incoming[id.serial] ?? .init() { remove(from: GraphPort.ID(serial: serial), to: id) }
        ports[id.serial] = nil
        pipeBusPorts[id.serial] = nil
        disown(port)
    }

    // MARK: Connections

    func connection(from source: GraphPort.ID, to destination: GraphPort.ID) -> Connection? {
        outgoing[source.serial]?[destination.serial]
    }

    mutating func set(_ connection: Connection) {
        let (source, destination) = (connection.source.serial, connection.destination.serial)
        let before = outgoing[source]?.count ?? 0
        outgoing.update(at: source) { $0[destination] = connection }
        incoming.update(at: destination) { $0[source] = connection }
        connectionCount += (outgoing[source]?.count ?? 0) - before
    }

    mutating func remove(from source: GraphPort.ID, to destination: GraphPort.ID) {
        guard connection(from: source, to: destination) != nil else { return }
        outgoing.update(at: source.serial) { $0[destination.serial] = nil }
        incoming.update(at: destination.serial) { $0[source.serial] = nil }
        connectionCount -= 1
    }

    /// Adds a link to the connection of its ports.
    mutating func add(_ link: Connection.Link, from source: GraphPort.ID, to destination: GraphPort.ID) {
        var links = connection(from: source, to: destination)?.links ?? []
        links.insert(link, at: links.firstIndex { link < $0 } ?? links.count)
        set(Connection(source: source, destination: destination, links: links))
    }

    /// Removes a link, and the connection with its last one.
    mutating func removeLink(_ id: UInt32, from source: GraphPort.ID, to destination: GraphPort.ID) {
        guard let links = connection(from: source, to: destination)?.links.filter({ $0.id != id }) else { return }
        guard !links.isEmpty else { return remove(from: source, to: destination) }
        set(Connection(source: source, destination: destination, links: links))
    }
}

extension PersistentMap {
    /// Changes the map at a key, which is removed once it is empty.
    fileprivate mutating func update<Inner>(at key: UInt64, _ change: (inout PersistentMap<Inner>) -> Void)
    where Value == PersistentMap<Inner> {
        var inner = self[key] ?? .init()
        change(&inner)
        self[key] = inner.isEmpty ? nil : inner
    }
}
