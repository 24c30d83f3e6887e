// SPDX-License-Identifier: MIT
import PipeWireClient

/// Another client's shared state, read and written through a side connection.
///
/// An owner whose process is suspended blocks the connection that binds its objects. Then this connection is given up.
/// Confined to the loop.
final class RemoteState: SideConnection {
    private let connection: PipeWireConnection
    private let loop: PipeWireLoop
    private var metadata: BoundMetadata?
    private(set) var values = RemoteValues()
    private var waiter: Waiter<Void>?

    /// Connects. The caller must close the connection.
    init(at remote: String?, on loop: PipeWireLoop) throws(PipeWireError) {
        connection = try PipeWireConnection(loop: loop, properties: [], remote: remote)
        self.loop = loop
    }

    /// Reads all values.
    ///
    /// - Parameters:
    ///   - id: the object's global id.
    ///   - timeout: limit for the daemon's reply, and again for the owner's.
    func open(_ id: UInt32, timeout: Duration) async throws(PipeWireError) {
        try await connection.open(timeout: timeout)
        let metadata = try BoundMetadata(on: connection, id: id)
        metadata.onProperty = { [unowned self] property in received(property) }
        self.metadata = metadata
        try await connection.sync(timeout: timeout)
    }

    private func received(_ property: BoundMetadata.Property) {
        values.received(property)
        if values.answer != .none { waiter?.resume(returning: ()) }
    }

    /// Requests that the owner set a value, and waits until it has published the value or a refusal.
    ///
    /// The wait is short, since the daemon may not pass the request on.
    func set(_ key: String, to value: String, type: String) async throws(PipeWireError) -> RemoteValues.Answer {
        values.requested(key, value)
        return try await request(key, value, type)
    }

    /// Presses a trigger, and waits until its app has answered the press of this word.
    func press(_ key: String, _ value: String, word: String) async throws(PipeWireError) -> RemoteValues.Answer {
        values.requested(key, value, word: word)
        return try await request(key, value, TriggerKey.type)
    }

    private func request(_ key: String, _ value: String, _ type: String) async throws(PipeWireError)
        -> RemoteValues.Answer
    {
        guard let metadata else { throw .closed }
        try metadata.set(key, to: value, type: type)
        let waiter = Waiter<Void>()
        self.waiter = waiter
        do throws(PipeWireError) {
            try await waiter.value(within: .milliseconds(500), on: loop, waitingFor: "an answer")
        } catch {
            guard case .timedOut = error else { throw error }
        }
        return values.answer
    }

    func close() {
        waiter?.resume(throwing: .closed)
        metadata?.close()
        metadata = nil
        connection.close()
    }
}
