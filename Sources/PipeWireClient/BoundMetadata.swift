// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

/// Another client's metadata object: its properties, and requests for changes. Confined to the loop.
///
/// Binding depends on the owner. The daemon stops serving this connection until the owner's process has answered, and
/// for good if the owner ends before.
///
/// If the owner may be suspended, bind through a side connection on the same loop. Close that connection when a
/// ``PipeWireConnection/sync(timeout:)`` times out.
///
/// - Thread: the loop.
@safe package final class BoundMetadata {
    /// A property, present or changed.
    package struct Property: Sendable, Equatable {
        /// The key; `nil` if all properties were removed.
        package var key: String?
        package var type: String?
        /// The value; `nil` if it was removed, or is unusable: longer than ``MetadataLimits/longestValue``, or not
        /// UTF-8.
        package var value: String?

        package init(key: String?, type: String?, value: String?) {
            self.key = key
            self.type = type
            self.value = value
        }
    }

    package let id: UInt32
    private let connection: PipeWireConnection
    private var proxy: OpaquePointer?
    private let events: UnsafeMutablePointer<pbpw_bound_metadata_events>

    /// Called on the loop, first for the present properties. Set it before the actor does anything else: nothing is
    /// reported before that. It may call ``set(_:to:type:)`` and ``close()``. A property may be reported twice.
    package var onProperty: ((Property) -> Void)?
    /// Called on the loop when the daemon refuses a request. `metadataRemoved` and a lost connection are the last
    /// reports.
    package var onFailure: ((PipeWireError) -> Void)?
    /// The reason why the object is gone; its ``id`` may be another object's by now.
    package private(set) var failure: PipeWireError?

    /// - Throws: `incompatible` if this client's configuration does not load PipeWire's metadata module.
    package init(on connection: PipeWireConnection, id: UInt32) throws(PipeWireError) {
        self.connection = connection
        self.id = id
        unsafe events = .allocate(capacity: 1)
        unsafe events.initialize(to: Self.makeEvents())
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        do throws(PipeWireError) {
            unsafe proxy = try connection.calls.bindMetadata(
                try connection.liveCore(), id: id, events: events, data: me)
        } catch {
            unsafe events.deallocate()
            throw .missingMetadataModule(insteadOf: error)
        }
    }

    deinit { close() }

    /// Requests that the owner set a value. The only answer is a change of the property, which need not come.
    ///
    /// - Throws: `callFailed` with `EINVAL` or `EMSGSIZE` for a value that no owner accepts: see ``MetadataLimits``.
    package func set(_ key: String, to value: String, type: String) throws(PipeWireError) {
        try MetadataLimits.check(key: key, type: type, value: value, longestValue: MetadataLimits.longestRequest)
        unsafe try connection.calls.setProperty(boundMetadata: try liveProxy(), key: key, type: type, value: value)
    }

    /// Requests that the owner remove a value.
    package func remove(_ key: String) throws(PipeWireError) {
        try MetadataLimits.check(key: key, type: "", value: "", longestValue: 0)
        unsafe try connection.calls.setProperty(boundMetadata: try liveProxy(), key: key, type: nil, value: nil)
    }

    /// Closes the object. Idempotent.
    package func close() {
        guard let proxy = unsafe proxy else { return }
        unsafe self.proxy = nil
        unsafe connection.calls.destroy(boundMetadata: proxy)
        unsafe events.deallocate()
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

extension BoundMetadata {
    private func fail(with error: PipeWireError) {
        guard failure == nil, unsafe proxy != nil else { return }
        failure = error
        onFailure?(error)
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> BoundMetadata {
        let metadata = unsafe Unmanaged<BoundMetadata>.fromOpaque(data!).takeUnretainedValue()
        assert(metadata.connection.loop.isCurrent)
        return metadata
    }

    private static func makeEvents() -> pbpw_bound_metadata_events {
        unsafe pbpw_bound_metadata_events(
            property: { data, key, type, value in
                guard let property = unsafe Property(key, type, value) else { return }
                unsafe BoundMetadata.from(data).onProperty?(property)
            },
            error: { data, code, _ in
                let metadata = unsafe BoundMetadata.from(data)
                guard metadata.failure == nil else { return }
                metadata.onFailure?(.callFailed(call: "pw_metadata", code: -code))
            },
            removed: { data in
                let metadata = unsafe BoundMetadata.from(data)
                metadata.fail(with: metadata.connection.failure ?? .metadataRemoved)
            })
    }
}

extension BoundMetadata.Property {
    /// `nil` for a key that is not valid.
    package init?(_ key: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?) {
        self.init(key: nil, type: nil, value: nil)
        switch unsafe MetadataLimits.read(key, atMost: MetadataLimits.longestKey) {
        case .unusable, .text(""): return nil
        case .none: return
        case .text(let text): self.key = text
        }
        // An unusable value counts as removed: the earlier value is out of date in any case.
        guard case .text(let value) = unsafe MetadataLimits.read(value, atMost: MetadataLimits.longestValue)
        else { return }
        self.value = value
        if case .text(let type) = unsafe MetadataLimits.read(type, atMost: MetadataLimits.longestKey) {
            self.type = type
        }
    }
}
