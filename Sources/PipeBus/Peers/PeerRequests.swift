// SPDX-License-Identifier: MIT
import PipeWireClient

/// What is being asked of other processes, each over a connection of its own: the daemon serves that connection no more while
/// the asked process stands still. All of them end with the session. Lives on the loop.
final class PeerRequests {
    private var connections: [any SideConnection] = []
    private var isClosed = false

    var isEmpty: Bool { connections.isEmpty }

    /// Keeps a connection until the work over it is done, and no longer than the session is there.
    ///
    /// - Throws: ``PipeWireError`` `closed` after the end of the session.
    func perform<Connection: SideConnection, Result: Sendable>(
        over connection: Connection, _ work: (Connection) async throws -> Result
    ) async throws -> Result {
        connections.append(connection)
        defer {
            connections.removeAll { $0 === connection }
            connection.close()
        }
        // Closed in between: nobody would close this one.
        if isClosed { throw PipeWireError.closed }
        return try await work(connection)
    }

    /// Ends every wait for an answer. Idempotent.
    func close() {
        isClosed = true
        for connection in connections { connection.close() }
    }
}
