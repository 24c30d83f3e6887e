// SPDX-License-Identifier: MIT

/// The connections of one medium, by the ports at their ends.
struct ConnectionTable: Sendable, Equatable {
    /// The connections of each port, by the serials of the ports that they go to and come from.
    private(set) var outgoing = PersistentMap<PersistentMap<Connection>>()
    private(set) var incoming = PersistentMap<PersistentMap<Connection>>()
    private(set) var count = 0

    func connection(from source: GraphPort.ID, to destination: GraphPort.ID) -> Connection? {
        outgoing[source.serial]?[destination.serial]
    }

    mutating func set(_ connection: Connection) {
        let (source, destination) = (connection.source.serial, connection.destination.serial)
        let before = outgoing[source]?.count ?? 0
        outgoing.update(at: source) { $0[destination] = connection }
        incoming.update(at: destination) { $0[source] = connection }
        count += (outgoing[source]?.count ?? 0) - before
    }

    mutating func remove(from source: GraphPort.ID, to destination: GraphPort.ID) {
        guard connection(from: source, to: destination) != nil else { return }
        outgoing.update(at: source.serial) { $0[destination.serial] = nil }
        incoming.update(at: destination.serial) { $0[source.serial] = nil }
        count -= 1
    }

    mutating func removeAll(of port: GraphPort.ID) {
        for (serial, _) in outgoing[port.serial] ?? .init() { remove(from: port, to: GraphPort.ID(serial: serial)) }
        for (serial, _) in incoming[port.serial] ?? .init() { remove(from: GraphPort.ID(serial: serial), to: port) }
    }
}
