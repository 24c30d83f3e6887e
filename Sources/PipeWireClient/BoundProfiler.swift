// SPDX-License-Identifier: MIT
import CPipeWireShims

/// The daemon's profiler, while it is bound: the daemon measures and reports each cycle of each driver for as long as any
/// client has it bound. At most one for each connection. Confined to the loop.
///
/// 0.3.65 reports the first cycle at once. After that it collects reports, for a second or until it has 16 KiB, and for
/// the next client too, within five seconds of the last report. 1.4 reports each cycle. No version reports cycles of a
/// freewheeling driver, nor of one with more than some 90 nodes.
///
/// - Thread: the loop.
@safe package final class BoundProfiler {
    private let connection: PipeWireConnection
    private var proxy: OpaquePointer?
    private let events: UnsafeMutablePointer<pbpw_profiler_events>

    /// Called on the loop with an event's bytes; see ``ProfilerReport/parse(_:)``. It may not close the profiler.
    package var onReports: (([UInt8]) -> Void)?
    /// Called on the loop when the daemon refuses the binding or the profiler is gone. It may not close the profiler.
    package var onFailure: ((PipeWireError) -> Void)?

    /// - Parameter id: the profiler's global id.
    /// - Throws: `callFailed` with `EPROTO` if the context lacks PipeWire's native protocol.
    package init(on connection: PipeWireConnection, id: UInt32) throws(PipeWireError) {
        self.connection = connection
        unsafe events = .allocate(capacity: 1)
        unsafe events.initialize(to: Self.makeEvents())
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        do throws(PipeWireError) {
            unsafe proxy = try connection.calls.bindProfiler(
                try connection.liveCore(), id: id, events: events, data: me)
        } catch {
            unsafe events.deallocate()
            throw error
        }
    }

    deinit { close() }

    /// Releases the profiler. Idempotent.
    package func close() {
        guard let proxy = unsafe proxy else { return }
        unsafe self.proxy = nil
        unsafe connection.calls.destroy(profiler: proxy)
        unsafe events.deallocate()
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> BoundProfiler {
        let profiler = unsafe Unmanaged<BoundProfiler>.fromOpaque(data!).takeUnretainedValue()
        assert(profiler.connection.loop.isCurrent)
        return profiler
    }

    private static func makeEvents() -> pbpw_profiler_events {
        unsafe pbpw_profiler_events(
            profile: { data, pod, size in
                // Copied, because the bytes are the connection's own buffer.
                let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: pod, count: pod == nil ? 0 : Int(size)))
                unsafe BoundProfiler.from(data).onReports?(bytes)
            },
            error: { data, code, _ in
                unsafe BoundProfiler.from(data).onFailure?(.callFailed(call: "pw_profiler", code: -code))
            },
            removed: { data in
                let profiler = unsafe BoundProfiler.from(data)
                profiler.onFailure?(profiler.connection.failure ?? .closed)
            })
    }
}
