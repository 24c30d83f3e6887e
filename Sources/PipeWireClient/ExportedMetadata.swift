// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

/// A metadata object of this client: strings by keys that every client can read and request to change.
///
/// Confined to the loop. It ends with its connection at the latest.
///
/// PipeWire does not answer a request. An accepted change is published to every listener, the one that requested it
/// included. A refused change is not published.
///
/// If this process is suspended, it blocks every client that binds its objects: see ``BoundMetadata``. Such clients are
/// programs that bind every metadata object, as `pw-dump` and the PulseAudio emulation do.
///
/// - Thread: the loop.
@safe package final class ExportedMetadata {
    /// A request of another process. Its strings are UTF-8 and within ``MetadataLimits``, and nothing else is known of
    /// them.
    package struct Request: Sendable, Equatable {
        /// The key; `nil` for all keys.
        package var key: String?
        package var type: String?
        /// The value; `nil` to remove it.
        package var value: String?
        /// The number of requests before this one that were dropped, because there were too many.
        package var dropped: Int

        package init(key: String?, type: String?, value: String?, dropped: Int = 0) {
            self.key = key
            self.type = type
            self.value = value
            self.dropped = dropped
        }
    }

    package let name: String
    private let connection: PipeWireConnection
    private let onRequest: (Request) -> Void
    private var proxy: OpaquePointer?
    private let events: UnsafeMutablePointer<pbpw_metadata_events>
    private var store = MetadataStore()
    private var settling = MetadataSettling()
    private let bound = Waiter<Void>()
    /// The requests that are handled. A client may send a million a second; faders send hundreds.
    private var requests = RateLimit(burst: 1024, perSecond: 1000)
    private var dropped = 0

    /// The object's global id, once the daemon has assigned it.
    package private(set) var globalID: UInt32?
    /// The reason why no client sees the object; `nil` while clients can.
    package private(set) var failure: PipeWireError?
    /// Called on the loop, once, when the object could not be made, or was removed.
    package var onFailure: ((PipeWireError) -> Void)?

    /// Publishes the object.
    ///
    /// - Parameters:
    ///   - name: the object's `metadata.name`, by which clients find it.
    ///   - properties: further properties of the object. Clients see them without binding it.
    ///   - onRequest: called on the loop. It may call ``set(_:to:type:)``, ``remove(_:)`` and ``close()``.
    /// - Throws: `incompatible` if this client's configuration does not load PipeWire's metadata module.
    package init(
        on connection: PipeWireConnection, name: String, properties: [(String, String)],
        onRequest: @escaping (Request) -> Void
    ) throws(PipeWireError) {
        self.connection = connection
        self.name = name
        self.onRequest = onRequest
        unsafe events = .allocate(capacity: 1)
        unsafe events.initialize(to: Self.makeEvents())
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        do throws(PipeWireError) {
            unsafe proxy = try connection.calls.exportMetadata(
                try connection.liveCore(), properties: properties + [("metadata.name", name)], events: events, data: me)
        } catch {
            unsafe events.deallocate()
            throw .missingMetadataModule(insteadOf: error)
        }
    }

    deinit { close() }

    /// Waits until other clients can see the object.
    package func waitUntilBound(timeout: Duration = .seconds(5)) async throws(PipeWireError) {
        try await bound.value(within: timeout, on: connection.loop, waitingFor: "PipeWire to take a metadata object")
    }

    /// Sets a value and notifies every listener, even if the value has not changed.
    ///
    /// - Throws: `callFailed` with `EINVAL`, `EMSGSIZE` or `ENOSPC` for a value beyond ``MetadataLimits``; the reason
    ///   of a lost connection.
    package func set(_ key: String, to value: String, type: String) throws(PipeWireError) {
        let proxy = unsafe try liveProxy()
        let entry = MetadataStore.Entry(type: type, value: value)
        try store.check(key, entry)
        unsafe try connection.calls.emit(proxy, key: key, type: type, value: value)
        store.set(key, entry)
        if settling.changed(key) { startRoundTrip() }
    }

    /// Removes a value, and notifies every listener if it existed.
    package func remove(_ key: String) throws(PipeWireError) {
        let proxy = unsafe try liveProxy()
        guard store.entries[key] != nil else { return }
        unsafe try connection.calls.emit(proxy, key: key, type: nil, value: nil)
        store.remove(key)
        if settling.changed(key) { startRoundTrip() }
    }

    package func value(of key: String) -> String? { store.entries[key]?.value }

    package var keys: [String] { store.entries.keys.sorted() }

    /// Removes the object from the graph. Idempotent.
    package func close() {
        guard let proxy = unsafe proxy else { return }
        unsafe self.proxy = nil
        unsafe connection.calls.destroy(metadata: proxy)
        unsafe events.deallocate()
        bound.resume(throwing: .closed)
    }

    /// Reports the loss of the daemon to the object. No event of PipeWire reports it.
    package func connectionLost(_ error: PipeWireError) { fail(with: error) }

    private func liveProxy() throws(PipeWireError) -> OpaquePointer {
        guard let proxy = unsafe proxy else { throw .closed }
        if let failure { throw failure }
        _ = unsafe try connection.liveCore()
        return unsafe proxy
    }
}

// MARK: Callbacks

extension ExportedMetadata {
    private func fail(with error: PipeWireError) {
        guard failure == nil, unsafe proxy != nil else { return }
        failure = error
        globalID = nil
        bound.resume(throwing: error)
        onFailure?(error)
    }

    private func startRoundTrip() {
        do throws(PipeWireError) {
            try connection.afterRoundTrip { [weak self] in self?.roundTripEnded() }
        } catch {
            // Without a connection there is no listener; otherwise the next change starts a round trip again.
            _ = settling.roundTripEnded()
        }
    }

    private func roundTripEnded() {
        guard let proxy = unsafe proxy, failure == nil else { return }
        let step = settling.roundTripEnded()
        for key in step.republish {
            let entry = store.entries[key]
            unsafe try? connection.calls.emit(proxy, key: key, type: entry?.type, value: entry?.value)
        }
        if step.startsRoundTrip { startRoundTrip() }
    }

    /// The first listener is the daemon's own, and comes before there is a proxy.
    private func publishAll(_ metadata: OpaquePointer) {
        for (key, entry) in store.entries { unsafe pbpw_metadata_emit(metadata, key, entry.type, entry.value) }
        guard unsafe proxy != nil else { return }
        if settling.listenerAdded() { startRoundTrip() }
    }

    private func requested(
        _ key: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
    ) {
        guard requests.allows(at: .now) else {
            dropped += 1
            return
        }
        guard var request = unsafe Request(key, type, value), failure == nil else { return }
        request.dropped = dropped
        dropped = 0
        onRequest(request)
    }

    private func refused(code: Int32) {
        // The factory is the metadata module's, in the daemon.
        let isUnknown = code == ENOENT && globalID == nil
        fail(
            with: isUnknown
                ? .incompatible(reason: "the daemon does not load libpipewire-module-metadata")
                : .callFailed(call: "pw_core_export", code: code))
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> ExportedMetadata {
        let metadata = unsafe Unmanaged<ExportedMetadata>.fromOpaque(data!).takeUnretainedValue()
        assert(metadata.connection.loop.isCurrent)
        return metadata
    }

    private static func makeEvents() -> pbpw_metadata_events {
        unsafe pbpw_metadata_events(
            listener_added: { data, metadata in unsafe ExportedMetadata.from(data).publishAll(metadata!) },
            requested: { data, key, type, value in unsafe ExportedMetadata.from(data).requested(key, type, value) },
            bound: { data, id in
                let metadata = unsafe ExportedMetadata.from(data)
                metadata.globalID = id
                metadata.bound.resume(returning: ())
            },
            error: { data, code, _ in unsafe ExportedMetadata.from(data).refused(code: -code) },
            removed: { data in
                let metadata = unsafe ExportedMetadata.from(data)
                metadata.fail(with: metadata.connection.failure ?? .metadataRemoved)
            })
    }
}

extension ExportedMetadata.Request {
    /// `nil` for a string that is too long or not UTF-8, and for a value without a key.
    package init?(_ key: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?) {
        let key = unsafe MetadataLimits.read(key, atMost: MetadataLimits.longestKey)
        let type = unsafe MetadataLimits.read(type, atMost: MetadataLimits.longestKey)
        let value = unsafe MetadataLimits.read(value, atMost: MetadataLimits.longestRequest)
        guard ![key, type, value].contains(.unusable), key != .text(""), key != .none || value == .none else {
            return nil
        }
        self.init(key: key.text, type: type.text, value: value.text)
    }
}
