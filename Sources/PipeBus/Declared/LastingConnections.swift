// SPDX-License-Identifier: MIT

/// The connections that had lasted when the daemon or one of their ports went away, whichever app makes them again. They need not
/// last anew. Confined to the loop.
final class LastingConnections {
    /// Any program can make connections. Beyond this number the oldest is forgotten.
    static let limit = 1000

    private var all: [ConnectionDeclaration] = []

    /// Idempotent.
    func add(_ connection: ConnectionDeclaration) {
        remove(connection)
        if all.count >= Self.limit { all.removeFirst() }
        all.append(connection)
    }

    func contains(_ connection: ConnectionDeclaration) -> Bool { all.contains { $0.hasSameNames(as: connection) } }

    /// Somebody has ended the connection. Idempotent.
    func remove(_ connection: ConnectionDeclaration) { all.removeAll { $0.hasSameNames(as: connection) } }

    /// The app has closed a port. Idempotent.
    func removeAll(of port: String) { all.removeAll { $0.hasEnd(.own(port)) } }

    func removeAll() { all = [] }
}
