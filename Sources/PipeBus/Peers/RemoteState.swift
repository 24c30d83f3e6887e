// SPDX-License-Identifier: MIT
import PipeWireClient

/// Another client's shared state, read and written through a connection of its own: an owner whose process stands still
/// holds up the connection that binds its objects, and this one is given up then. Lives on the loop.
final class RemoteState: SideConnection {
    private let connection: PipeWireConnection
    private let loop: PipeWireLoop
    private var metadata: BoundMetadata?
    private(set) var values: [String: String] = [:]
    /// What was published since the last request.
    private var news: [(key: String, value: String)] = []
    private var waiter: Waiter<Void>?

    /// It must be closed.
    init(at remote: String?, on loop: PipeWireLoop) throws(PipeWireError) {
        connection = try PipeWireConnection(loop: loop, properties: [], remote: remote)
        self.loop = loop
    }

    /// Reads all there is.
    ///
    /// - Parameters:
    ///   - id: the object's global id.
    ///   - timeout: how long the daemon may take, and how long the owner.
    func open(_ id: UInt32, timeout: Duration) async throws(PipeWireError) {
        try await connection.open(timeout: timeout)
        let metadata = try BoundMetadata(on: connection, id: id)
        metadata.onProperty = { [unowned self] property in told(property) }
        self.metadata = metadata
        try await connection.sync(timeout: timeout)
    }

    private func told(_ property: BoundMetadata.Property) {
        guard let key = property.key else {
            values = [:]
            return
        }
        values[key] = property.value
        if let value = property.value { news.append((key, value)) }
        waiter?.resume(returning: ())
    }

    /// What an owner makes of a request.
    enum Answer: Sendable {
        /// It has set it, whatever others have asked for since.
        case taken
        case refused(because: String)
        /// Nothing was heard of it.
        case none
    }

    /// Asks the owner to set a value, and waits until it has published the value, or why not; but not for long, since the
    /// daemon may not pass it on.
    func set(_ key: String, to value: String, type: String) async throws(PipeWireError) -> Answer {
        guard let metadata else { throw .closed }
        news = []
        try metadata.set(key, to: value, type: type)
        let deadline = ContinuousClock.now.advanced(by: .milliseconds(500))
        while ContinuousClock.now < deadline {
            while !news.isEmpty {
                let (told, answer) = news.removeFirst()
                if told == key, answer == value { return .taken }
                if told == SharedState.refusalKey, let reason = refusal(of: key) { return .refused(because: reason) }
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

    /// Why a request for a key was refused, if it was the last that was.
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
