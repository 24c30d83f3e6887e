// SPDX-License-Identifier: MIT
import ConnectionGraph
import Glibc
import PipeWireClient
import Synchronization

/// The state that a client publishes to all others and lets them change by requests: a PipeWire metadata object of its
/// own. Confined to the loop.
final class SharedState {
    /// The key under which the refusal of a request is published, with the request's key. The daemon itself does not
    /// answer a request.
    static let refusalKey = "refused"
    /// The prefix of the names of such objects. The app and a number follow.
    static let namePrefix = "pipebus."

    /// The error because of which others do not see the object.
    private(set) var failure: PipeWireError?
    /// Called on the loop, inside PipeWire's callback, when others no longer see the object.
    var onLost: (() -> Void)?
    private var metadata: ExportedMetadata?
    private var published: [String: String] = [:]
    private static let counter = Atomic<Int>(0)

    init(
        on connection: PipeWireConnection, appID: String, onRequest: @escaping (ExportedMetadata.Request) -> Void
    ) throws(PipeWireError) {
        let number = Self.counter.add(1, ordering: .relaxed).newValue
        metadata = try ExportedMetadata(
            on: connection, name: "\(Self.namePrefix)\(appID).\(getpid()).\(number)", properties: [],
            onRequest: onRequest)
        metadata?.onFailure = { [unowned self] error in
            failure = error
            onLost?()
        }
    }

    func waitUntilSeen() async throws(PipeWireError) {
        try await metadata?.waitUntilBound(timeout: .seconds(2))
    }

    /// Replaces all values under a prefix, and publishes the changes.
    func publish(_ values: [String: (type: String, value: String)], prefix: String) {
        for key in published.keys where key.hasPrefix(prefix) && values[key] == nil {
            published[key] = nil
            try? metadata?.remove(key)
        }
        for (key, (type, value)) in values where published[key] != value { post(key, type, value) }
    }

    /// Publishes a value even if it has not changed: the client that requested it waits for that.
    func post(_ key: String, _ type: String, _ value: String) {
        do throws(PipeWireError) {
            try metadata?.set(key, to: value, type: type)
            published[key] = value
        } catch {
            // Too much for one object, or no connection: others do not see the value.
            published[key] = nil
        }
    }

    func refuse(_ key: String, because reason: String) {
        post(Self.refusalKey, "Spa:String", "\(key): \(reason)")
    }

    func connectionLost(_ error: PipeWireError) { metadata?.connectionLost(error) }

    func close() {
        metadata?.close()
        metadata = nil
    }
}
