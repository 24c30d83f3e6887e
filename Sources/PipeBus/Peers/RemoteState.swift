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
    private(set) var values: [String: String] = [:]
    /// The values that were published since the last request.
    private var published: [(key: String, value: String)] = []
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
        guard let key = property.key else {
            values = [:]
            return
        }
        values[key] = property.value
        if let value = property.value { published.append((key, value)) }
        waiter?.resume(returning: ())
    }

    /// The owner's answer to a request.
    enum Answer: Sendable {
        /// The owner has set the value, whatever others have requested since.
        case taken
        case refused(because: String)
        /// The owner has published nothing about it.
        case none
    }

    /// Requests that the owner set a value, and waits until it has published the value or a refusal.
    ///
    /// The wait is short, since the daemon may not pass the request on.
    func set(_ key: String, to value: String, type: String) async throws(PipeWireError) -> Answer {
        guard let metadata else { throw .closed }
        published = []
        try metadata.set(key, to: value, type: type)
        let deadline = ContinuousClock.now.advanced(by: .milliseconds(500))
        while ContinuousClock.now < deadline {
            while !published.isEmpty {
                let (publishedKey, publishedValue) = published.removeFirst()
                if publishedKey == key, publishedValue == value { return .taken }
                if publishedKey == SharedState.refusalKey, let reason = refusal(of: key) {
                    return .refused(because: reason)
                }
            }
            let waiter = Waiter<Void>()
            self.waiter = waiter
            let left = max(ContinuousClock.now.duration(to: deadline), .zero)
            do throws(PipeWireError) {
                try await waiter.value(within: left, on: loop, waitingFor: "an answer")
            } catch {
                guard case .timedOut = error else { throw error }
            }
        }
        return .none
    }

    /// The reason why a request for a key was refused, if it was the last refused request.
    func refusal(of key: String) -> String? {
        guard let text = values[SharedState.refusalKey], text.hasPrefix("\(key): ") else { return nil }
        return String(text.dropFirst(key.count + 2))
    }

    func close() {
        waiter?.resume(throwing: .closed)
        metadata?.close()
        metadata = nil
        connection.close()
    }
}
