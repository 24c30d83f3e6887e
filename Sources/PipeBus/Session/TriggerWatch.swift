// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Follows the triggers of one app for one reader. Confined to the loop.
final class TriggerWatch: PeerWatch {
    /// The lists; the newest waits for a reader that is busy.
    let lists: AsyncStream<[Trigger]>
    private let list: AsyncStream<[Trigger]>.Continuation
    private let side: PipeWireConnection
    /// The object that the app shares now: `nil` for none. Throws once the app is gone.
    private let present: () throws -> GraphReducer.MetadataObject?
    private var object: GraphReducer.MetadataObject?
    private var metadata: BoundMetadata?
    private var values = RemoteValues()
    private var last: [Trigger]?

    init(over side: PipeWireConnection, _ present: @escaping () throws -> GraphReducer.MetadataObject?) {
        self.side = side
        self.present = present
        (lists, list) = AsyncStream.makeStream(of: [Trigger].self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Called when the reader ends, on any thread.
    func onEnd(_ body: @escaping @Sendable () -> Void) { list.onTermination = { _ in body() } }

    func update(canBind: Bool) -> Bool {
        let present: GraphReducer.MetadataObject?
        do { present = try self.present() } catch { return false }
        if present != object {
            metadata?.close()
            (object, metadata, values) = (present, nil, RemoteValues())
        }
        if let present {
            // What a bound object holds comes by itself.
            if canBind, metadata == nil { bind(present) }
        } else {
            publish()
        }
        return true
    }

    private func bind(_ object: GraphReducer.MetadataObject) {
        metadata = try? BoundMetadata(on: side, id: object.id)
        metadata?.onProperty = { [unowned self] property in
            values.received(property)
            publish()
        }
        // An object without triggers says nothing.
        try? side.afterRoundTrip { [weak self] in self?.publish() }
    }

    private func publish() {
        let triggers = Trigger.all(in: values.texts)
        guard triggers != last else { return }
        last = triggers
        list.yield(triggers)
    }

    func close() {
        metadata?.close()
        metadata = nil
        list.finish()
    }
}
