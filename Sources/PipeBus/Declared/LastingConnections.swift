// SPDX-License-Identifier: MIT

/// The connections that had lasted when the daemon or one of their ports went away, whichever app makes them again. They need not
/// last anew. Confined to the loop.
final class LastingConnections {
    /// Any program can make connections. Beyond this number the oldest is forgotten.
    static let limit = 1000

    private struct Entry {
        var connection: ConnectionDeclaration
        var wasRemoved: Bool
    }

    private var all: [Entry] = []

    /// Idempotent.
    ///
    /// - Parameter wasRemoved: whether somebody has removed its links, and neither the daemon nor a port went away.
    func add(_ connection: ConnectionDeclaration, wasRemoved: Bool = false) {
        remove(connection)
        if all.count >= Self.limit { all.removeFirst() }
        all.append(Entry(connection: connection, wasRemoved: wasRemoved))
    }

    /// - Parameter isByOtherEnd: whether the app of the other port has made it again. That app may have disconnected this one while it
    ///   hung.
    func contains(_ connection: ConnectionDeclaration, isByOtherEnd: Bool = false) -> Bool {
        all.contains { (!$0.wasRemoved || isByOtherEnd) && $0.connection.hasSameNames(as: connection) }
    }

    private func remove(_ connection: ConnectionDeclaration) {
        all.removeAll { $0.connection.hasSameNames(as: connection) }
    }

    /// The app has closed a port. Idempotent.
    func removeAll(of port: String) { all.removeAll { $0.connection.hasEnd(.own(port)) } }

    func removeAll() { all = [] }
}
