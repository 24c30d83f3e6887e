// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

extension Calls {
    func exportMetadata(
        _ core: OpaquePointer, properties: [(String, String)], events: UnsafePointer<pbpw_metadata_events>,
        data: UnsafeMutableRawPointer
    ) throws(PipeWireError) -> OpaquePointer {
        try begin("pw_core_export")
        let made = unsafe Properties.make(properties)
        guard let metadata = unsafe pbpw_metadata_export(core, made, events, data) else {
            throw .callFailed(call: "pw_core_export", code: errno)
        }
        return unsafe metadata
    }

    /// Emits a change. libpipewire itself sends a new listener the present properties.
    func emit(_ metadata: OpaquePointer, key: String, type: String?, value: String?) throws(PipeWireError) {
        try begin("pw_metadata_emit_property")
        unsafe pbpw_metadata_emit(metadata, key, type, value)
    }

    func destroy(metadata: OpaquePointer) {
        _ = recorder?.record("pw_proxy_destroy")
        unsafe pbpw_metadata_destroy(metadata)
    }

    func bindMetadata(
        _ core: OpaquePointer, id: UInt32, events: UnsafePointer<pbpw_bound_metadata_events>,
        data: UnsafeMutableRawPointer
    ) throws(PipeWireError) -> OpaquePointer {
        try begin("pw_registry_bind")
        guard let metadata = unsafe pbpw_bound_metadata_new(core, id, events, data) else {
            throw .callFailed(call: "pw_registry_bind", code: errno)
        }
        return unsafe metadata
    }

    func setProperty(
        boundMetadata: OpaquePointer, key: String, type: String?, value: String?
    ) throws(PipeWireError) {
        try begin("pw_metadata_set_property")
        try check("pw_metadata_set_property", unsafe pbpw_bound_metadata_set(boundMetadata, key, type, value))
    }

    func destroy(boundMetadata: OpaquePointer) {
        _ = recorder?.record("pw_proxy_destroy")
        unsafe pbpw_bound_metadata_destroy(boundMetadata)
    }
}
