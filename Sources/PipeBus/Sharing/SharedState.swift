// SPDX-License-Identifier: MIT
import ConnectionGraph
import Glibc
import PipeWireClient
import Synchronization

/// What a client shows of itself to all others, and lets them ask for: a PipeWire metadata object of its own. Lives on the
/// loop.
final class SharedState {
    /// The key under which a refused request is published, with its own key. The daemon gives a request no answer.
    static let refusalKey = "refused"
    /// What all such objects are called, with the app and a number behind it.
    static let namePrefix = "pipebus."

    /// What keeps others from seeing it.
    private(set) var failure: PipeWireError?
    /// Called on the loop, inside PipeWire's callback, when others do not see it any more.
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

    /// Makes all values under a prefix the given ones, and publishes what has changed.
    func publish(_ values: [String: (type: String, value: String)], prefix: String) {
        for key in published.keys where key.hasPrefix(prefix) && values[key] == nil {
            published[key] = nil
            try? metadata?.remove(key)
        }
        for (key, (type, value)) in values where published[key] != value { tell(key, type, value) }
    }

    /// Tells a value even if it is what it was: whoever asked for it waits for that.
    func tell(_ key: String, _ type: String, _ value: String) {
        do throws(PipeWireError) {
            try metadata?.set(key, to: value, type: type)
            published[key] = value
        } catch {
            // Too much for one object, or no connection: nobody sees it then.
            published[key] = nil
        }
    }

    func refuse(_ key: String, because reason: String) {
        tell(Self.refusalKey, "Spa:String", "\(key): \(reason)")
    }

    func connectionLost(_ error: PipeWireError) { metadata?.connectionLost(error) }

    func close() {
        metadata?.close()
        metadata = nil
    }
}
