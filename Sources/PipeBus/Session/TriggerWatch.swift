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
    /// Whether all values have come that were there when the object was bound.
    private var isRead = false
    private var isListDue = false
    private var last: [Trigger]?
    private let later: (Duration, @escaping () -> Void) -> Void

    /// - Parameter later: does something on the loop after a while.
    init(
        over side: PipeWireConnection, later: @escaping (Duration, @escaping () -> Void) -> Void,
        _ present: @escaping () throws -> GraphReducer.MetadataObject?
    ) {
        self.side = side
        self.later = later
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
            (object, metadata) = (present, nil)
        }
        if let present {
            // What a bound object holds comes by itself.
            if canBind, metadata == nil { bind(present) }
        } else {
            (values, isRead) = (RemoteValues(), true)
            publish()
        }
        return true
    }

    /// - Parameter readings: how often it has been bound in vain.
    private func bind(_ object: GraphReducer.MetadataObject, after readings: Int = 0) {
        (values, isRead) = (RemoteValues(), false)
        guard let metadata = try? BoundMetadata(on: side, id: object.id) else { return }
        self.metadata = metadata
        metadata.onProperty = { [unowned self] property in
            values.received(property)
            changed()
        }
        try? side.afterRoundTrip { [weak self, weak metadata] in
            guard let self, let metadata, self.metadata === metadata else { return }
            // An object has values. If several clients bind it at once, the daemon may pass them to the last of them alone.
            guard values.count == 0, readings < RemoteTriggers.readings else {
                isRead = true
                return publish()
            }
            later(RemoteTriggers.pauseBeforeReading) { [weak self, weak metadata] in
                guard let self, let metadata, self.metadata === metadata else { return }
                metadata.close()
                bind(object, after: readings + 1)
            }
        }
    }

    /// Several values change for one list: it waits for those that are on their way.
    private func changed() {
        guard isRead, !isListDue else { return }
        isListDue = true
        try? side.afterRoundTrip { [weak self] in
            self?.isListDue = false
            self?.publish()
        }
    }

    private func publish() {
        guard isRead else { return }
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
