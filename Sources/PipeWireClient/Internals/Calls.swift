// SPDX-License-Identifier: MIT
import CPipeWireShims
import CRealtime
import Glibc

/// The control side's calls into libpipewire. A ``CallRecorder`` can see each of them and force it to fail.
///
/// The audio thread's calls are in the shims' process callback.
struct Calls {
    let recorder: CallRecorder?

    func begin(_ call: String) throws(PipeWireError) {
        if let code = recorder?.record(call) { throw .callFailed(call: call, code: code) }
    }

    func check(_ call: String, _ result: Int32) throws(PipeWireError) {
        if result < 0 { throw .callFailed(call: call, code: -result) }
    }

    // MARK: Core

    func connect(
        loop: PipeWireLoop, properties: [(String, String)], address: RemoteAddress,
        events: UnsafePointer<pbpw_core_events>, data: UnsafeMutableRawPointer
    ) throws(PipeWireError) -> OpaquePointer {
        try begin("pw_context_new")
        try begin("pw_context_connect")
        var error: Int32 = 0
        var failedCall: UnsafePointer<CChar>?
        let socket = try address.isExplicit ? openSocket(address) : -1
        let made = unsafe Properties.make(properties)
        guard let core = unsafe pbpw_core_connect(loop.pointer, made, socket, events, data, &error, &failedCall)
        else {
            throw unsafe .callFailed(call: String(cString: failedCall!), code: -error)
        }
        return unsafe core
    }

    /// The first socket on which a daemon listens; the last one's error if there is none, as in libpipewire.
    private func openSocket(_ address: RemoteAddress) throws(PipeWireError) -> Int32 {
        var result = -ENOENT
        for path in address.sockets {
            result = unsafe pbpw_socket_connect(path)
            if result >= 0 { break }
        }
        try check("pw_context_connect", result)
        return result
    }

    func destroy(core: OpaquePointer) {
        _ = recorder?.record("pw_core_disconnect")
        unsafe pbpw_core_destroy(core)
    }

    func sync(_ core: OpaquePointer) throws(PipeWireError) -> Int32 {
        try begin("pw_core_sync")
        let sequence = unsafe pbpw_core_sync(core)
        try check("pw_core_sync", sequence)
        return sequence
    }

    func openRegistry(_ core: OpaquePointer) throws(PipeWireError) {
        try begin("pw_core_get_registry")
        try check("pw_core_get_registry", unsafe pbpw_core_open_registry(core))
    }

    func bind(_ core: OpaquePointer, id: UInt32, kind: UInt32) throws(PipeWireError) {
        try begin("pw_registry_bind")
        try check("pw_registry_bind", unsafe pbpw_core_bind(core, id, kind))
    }

    func unbind(_ core: OpaquePointer, id: UInt32) {
        unsafe pbpw_core_unbind(core, id)
    }

    func request(_ core: OpaquePointer, node: UInt32, key: String, value: String) throws(PipeWireError) {
        try begin("pw_node_set_param")
        try check("pw_node_set_param", unsafe pbpw_core_request(core, node, key, value))
    }

    func destroyGlobal(_ core: OpaquePointer, id: UInt32) throws(PipeWireError) {
        try begin("pw_registry_destroy")
        try check("pw_registry_destroy", unsafe pbpw_core_destroy_global(core, id))
    }

    // MARK: Links

    func makeLink(
        _ core: OpaquePointer, output: UInt32, input: UInt32, lingers: Bool, isPassive: Bool,
        events: UnsafePointer<pbpw_link_events>, data: UnsafeMutableRawPointer
    ) throws(PipeWireError) -> OpaquePointer {
        try begin("pw_core_create_object")
        guard let link = unsafe pbpw_link_new(core, output, input, lingers, isPassive, events, data) else {
            throw .callFailed(call: "pw_core_create_object", code: errno)
        }
        return unsafe link
    }

    func destroy(link: OpaquePointer) {
        _ = recorder?.record("pw_proxy_destroy")
        unsafe pbpw_link_destroy(link)
    }

    // MARK: Filters

    func makeFilter(
        _ core: OpaquePointer, name: String, properties: [(String, String)],
        events: UnsafePointer<pbpw_filter_events>, call: crt_call, before: crt_call?,
        load: UnsafeMutablePointer<crt_load>, data: UnsafeMutableRawPointer
    ) throws(PipeWireError) -> OpaquePointer {
        try begin("pw_filter_new")
        var error: Int32 = 0
        let made = unsafe Properties.make(properties)
        let filter =
            if var before = unsafe before {
                unsafe pbpw_filter_new(core, name, made, events, call, &before, load, data, &error)
            } else {
                unsafe pbpw_filter_new(core, name, made, events, call, nil, load, data, &error)
            }
        guard let filter = unsafe filter else { throw .callFailed(call: "pw_filter_new", code: -error) }
        return unsafe filter
    }

    func addPort(_ filter: OpaquePointer, isInput: Bool, properties: [(String, String)]) throws(PipeWireError) {
        try begin("pw_filter_add_port")
        try check("pw_filter_add_port", unsafe pbpw_filter_add_port(filter, isInput, Properties.make(properties)))
    }

    /// - Parameter runningOn: not `nil` when the audio thread may be running the node.
    func addOrderPort(
        _ filter: OpaquePointer, isInput: Bool, properties: [(String, String)], runningOn core: OpaquePointer? = nil
    ) throws(PipeWireError) {
        try begin("pw_filter_add_port")
        try check(
            "pw_filter_add_port", unsafe pbpw_filter_add_order_port(filter, isInput, Properties.make(properties), core))
    }

    func connect(filter: OpaquePointer) throws(PipeWireError) {
        try begin("pw_filter_connect")
        try check("pw_filter_connect", unsafe pbpw_filter_connect(filter))
    }

    func setActive(_ filter: OpaquePointer, _ isActive: Bool) throws(PipeWireError) {
        try begin("pw_filter_set_active")
        try check("pw_filter_set_active", unsafe pbpw_filter_set_active(filter, isActive))
    }

    func disconnect(filter: OpaquePointer) {
        _ = recorder?.record("pw_filter_disconnect")
        unsafe pbpw_filter_disconnect(filter)
    }

    func destroy(filter: OpaquePointer) {
        _ = recorder?.record("pw_filter_destroy")
        unsafe pbpw_filter_destroy(filter)
    }

    func setProperty(_ filter: OpaquePointer, key: String, value: String) throws(PipeWireError) {
        try begin("pw_filter_update_properties")
        try check("pw_filter_update_properties", unsafe pbpw_filter_set_property(filter, key, value))
    }

    func cycleSize(of filter: OpaquePointer) -> CycleSize? {
        var frameCount: UInt32 = 0
        var sampleRate: UInt32 = 0
        unsafe pbpw_filter_cycle(filter, &frameCount, &sampleRate)
        guard frameCount > 0, sampleRate > 0 else { return nil }
        return CycleSize(frameCount: Int(frameCount), sampleRate: Int(sampleRate))
    }

    /// `nil` while the node has no driver, or one that freewheels.
    func clockPosition(of filter: OpaquePointer) -> UInt64? {
        var position: UInt64 = 0
        return unsafe pbpw_filter_clock(filter, &position) ? position : nil
    }

    func driver(of filter: OpaquePointer) -> (nodeID: UInt32, isFreewheeling: Bool)? {
        var node: UInt32 = 0
        var isFreewheeling = false
        return unsafe pbpw_filter_driver(filter, &node, &isFreewheeling) ? (node, isFreewheeling) : nil
    }

    func setProcessLatency(_ filter: OpaquePointer, frames: Int) throws(PipeWireError) {
        try begin("pw_filter_update_params")
        try check("pw_filter_update_params", unsafe pbpw_filter_set_process_latency(filter, Int64(frames)))
    }

    func setLatency(
        _ filter: OpaquePointer, isInput: Bool, channel: Int, isOutputLatency: Bool, latency: PathLatencyRange
    ) throws(PipeWireError) {
        try begin("pw_filter_update_params")
        let result = unsafe pbpw_filter_set_latency(
            filter, isInput, UInt32(channel), isOutputLatency, pbpw_latency(latency.minimum),
            pbpw_latency(latency.maximum))
        try check("pw_filter_update_params", result)
    }
}

extension pbpw_latency {
    fileprivate init(_ latency: PathLatency) {
        self.init(cycles: latency.cycles, frames: Int64(latency.frames), nanoseconds: Int64(latency.nanoseconds))
    }
}
