// SPDX-License-Identifier: MIT
import PipeWireClient

/// What somebody waits for must end with the client: its loop stops then, and no time is ever up again.
extension BusClient {
    /// Keeps a connection of one's own until what is asked over it is done, and no longer than the client is there.
    func ask<Connection: SideConnection, Result: Sendable>(
        over connection: Connection, _ work: (Connection) async throws -> Result
    ) async throws -> Result {
        asking.append(connection)
        defer {
            asking.removeAll { $0 === connection }
            connection.close()
        }
        // Closed in between: nobody would close this one.
        _ = try liveConnection()
        return try await work(connection)
    }

    /// Comes back after a while, or when the client ends.
    func pause(_ duration: Duration) async {
        guard connection != nil, ending == nil else { return }
        try? await pauses.wait(for: duration, on: loop, waitingFor: "some time to pass")
    }

    /// For tests.
    package var isAsking: Bool { !asking.isEmpty }
    package var isPausing: Bool { !pauses.isEmpty }
}
