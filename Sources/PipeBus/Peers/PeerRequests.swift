// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// The requests to other processes under way, each over a side connection.
///
/// The daemon stops serving such a connection while the other process is suspended. All of them end with the session.
/// Confined to the loop.
final class PeerRequests {
    private let loop: PipeWireLoop
    private let remote: String?
    private let recorder: CallRecorder?
    private var connections: [any SideConnection] = []
    private var isClosed = false

    /// - Parameter remote: the daemon's socket; `nil` for the user's default daemon.
    init(to remote: String?, on loop: PipeWireLoop, recorder: CallRecorder?) {
        self.remote = remote
        self.loop = loop
        self.recorder = recorder
    }

    /// A connection to the session's daemon, for ``perform(over:_:)``.
    func makeConnection() throws(PipeWireError) -> PipeWireConnection {
        try PipeWireConnection(loop: loop, properties: [], remote: remote, recorder: recorder)
    }

    /// Sends a request to another app's port, over a side connection. The daemon stops serving the requesting connection until
    /// the port's process has answered, and that process may be suspended.
    ///
    /// - Parameter limit: time limit for the connection, and again for the answer.
    /// - Returns: the time limit for the graph to show the answer.
    /// - Throws: ``PipeBusError`` `timedOut`, `noPermission`.
    func request(
        _ key: String, _ value: String, of port: GraphPort, within limit: Duration = .seconds(2)
    ) async throws -> ContinuousClock.Instant {
        do {
            return try await perform(over: try makeConnection()) { side in
                try await side.open(timeout: limit)
                let deadline = ContinuousClock.now.advanced(by: limit)
                side.bind(id: port.nodeID, kind: .node)
                try side.request(ofNode: port.nodeID, key: key, value: value)
                try await side.sync(by: deadline)
                if let refusal = side.refusal {
                    throw PipeWireError.noPermission(what: "\(port.shownTitle), to change it (\(refusal))")
                }
                return deadline
            }
        } catch let error as PipeWireError {
            throw PipeBusError(error)
        }
    }

    /// The error when a port's app does not answer a request.
    static func noAnswer(of port: GraphPort) -> PipeBusError {
        PipeBusError(
            .timedOut,
            "The app of \(port.shownTitle) does not answer; it may be stopped. If it goes on, it takes the request then."
        )
    }

    /// A connection that asks why another one was lost. It is in no recording.
    func makeProbe() throws(PipeWireError) -> PipeWireConnection {
        try PipeWireConnection(loop: loop, properties: [], remote: remote)
    }

    /// A connection to what another client shares, for ``perform(over:_:)``.
    func makeRemoteState() throws(PipeWireError) -> RemoteState { try RemoteState(at: remote, on: loop) }

    var isEmpty: Bool { connections.isEmpty }

    /// A connection to the session's daemon that stays until ``release(_:)``, or until the session ends.
    func makeKeptConnection() throws(PipeWireError) -> PipeWireConnection {
        if isClosed { throw .closed }
        let connection = try makeConnection()
        connections.append(connection)
        return connection
    }

    /// Closes a kept connection. Idempotent.
    func release(_ connection: PipeWireConnection) {
        connections.removeAll { $0 === connection }
        connection.close()
    }

    /// Keeps a connection until the work over it is done, or until the session ends.
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
        // Closed in the meantime: no other call would close this connection.
        if isClosed { throw PipeWireError.closed }
        return try await work(connection)
    }

    /// Ends every wait for an answer. Idempotent.
    func close() {
        isClosed = true
        for connection in connections { connection.close() }
    }
}
