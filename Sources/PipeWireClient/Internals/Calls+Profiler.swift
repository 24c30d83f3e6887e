// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

extension Calls {
    func bindProfiler(
        _ core: OpaquePointer, id: UInt32, events: UnsafePointer<pbpw_profiler_events>, data: UnsafeMutableRawPointer
    ) throws(PipeWireError) -> OpaquePointer {
        try begin("pw_protocol_add_marshal")
        try begin("pw_registry_bind")
        guard let profiler = unsafe pbpw_profiler_new(core, id, events, data) else {
            throw .callFailed(call: "pw_registry_bind", code: errno)
        }
        return unsafe profiler
    }

    func destroy(profiler: OpaquePointer) {
        _ = recorder?.record("pw_proxy_destroy")
        unsafe pbpw_profiler_destroy(profiler)
    }
}
