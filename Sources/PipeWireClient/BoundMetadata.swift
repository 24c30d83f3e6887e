// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

/// Another client's metadata object: what it publishes, and requests for changes. Belongs to the actor on the loop.
///
/// Binding depends on the owner: the daemon does nothing more for this connection until the owner's process has answered,
/// and never again if the owner goes before it has. Whoever cannot trust the owner to run binds through a connection of
/// its own, another one on the same loop, and gives that up when a ``PipeWireConnection/sync(timeout:)`` times out.
///
/// - Thread: the loop.
@safe package final class BoundMetadata {
    /// A property as it is, or has become.
    package struct Property: Sendable, Equatable {
        /// `nil` for all of them, which are gone then.
        package var key: String?
        package var type: String?
        /// `nil` when it is gone, or cannot be used: longer than ``MetadataLimits/longestValue``, or not UTF-8.
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

    /// Called on the loop, first for what there is. To be set before the actor does anything else: nothing comes before.
    /// It may call ``set(_:to:type:)`` and ``close()``. The same may come twice.
    package var onProperty: ((Property) -> Void)?
    /// Called on the loop when the daemon refuses something. After `metadataRemoved` and a lost connection nothing comes.
    package var onFailure: ((PipeWireError) -> Void)?
    /// Why nothing comes from it any more; its ``id`` may be another object's by now.
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

    /// Asks the owner to set a value. There is no answer but the property's coming back, which need not happen.
    ///
    /// - Throws: `callFailed` with `EINVAL` or `EMSGSIZE` for what no owner takes: see ``MetadataLimits``.
    package func set(_ key: String, to value: String, type: String) throws(PipeWireError) {
        try MetadataLimits.check(key: key, type: type, value: value, longestValue: MetadataLimits.longestRequest)
        unsafe try connection.calls.setProperty(boundMetadata: try liveProxy(), key: key, type: type, value: value)
    }

    /// Asks the owner to remove a value.
    package func remove(_ key: String) throws(PipeWireError) {
        try MetadataLimits.check(key: key, type: "", value: "", longestValue: 0)
        unsafe try connection.calls.setProperty(boundMetadata: try liveProxy(), key: key, type: nil, value: nil)
    }

    /// Lets go of it. Idempotent.
    package func close() {
        guard let proxy = unsafe proxy else { return }
        unsafe self.proxy = nil
        unsafe connection.calls.destroy(boundMetadata: proxy)
        unsafe events.deallocate()
    }

    /// For an object whose daemon has gone: nobody else notifies it.
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
    /// `nil` for a key that nobody can mean.
    package init?(_ key: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?) {
        self.init(key: nil, type: nil, value: nil)
        switch unsafe MetadataLimits.read(key, atMost: MetadataLimits.longestKey) {
        case .unusable, .text(""): return nil
        case .none: return
        case .text(let text): self.key = text
        }
        // What cannot be used is as good as gone: the value from before is out of date in any case.
        guard case .text(let value) = unsafe MetadataLimits.read(value, atMost: MetadataLimits.longestValue)
        else { return }
        self.value = value
        if case .text(let type) = unsafe MetadataLimits.read(type, atMost: MetadataLimits.longestKey) {
            self.type = type
        }
    }
}
