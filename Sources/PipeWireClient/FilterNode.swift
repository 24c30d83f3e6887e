// SPDX-License-Identifier: MIT
import CPipeWireShims
package import CRealtime
import Glibc
package import RealtimeKit

/// A node of this client in the graph: a `pw_filter` with all its ports, made before it streams.
///
/// Confined to the loop. It must be closed. Until then it keeps the audio thread's memory alive.
@safe package final class FilterNode {
    package struct PortSpec: Sendable {
        package var isInput: Bool
        package var properties: [(String, String)]

        package init(isInput: Bool, properties: [(String, String)]) {
            self.isInput = isInput
            self.properties = properties
        }
    }

    /// A report on a channel about the latency up- or downstream of it; `nil` when the latency was withdrawn.
    package struct LatencyReport: Sendable, Hashable {
        package var isInput: Bool
        package var channel: Int
        package var isOutputLatency: Bool
        package var latency: PathLatencyRange?
    }

    let connection: PipeWireConnection
    private(set) var filter: OpaquePointer?
    private let keptAlive: any Sendable
    private let events: UnsafeMutablePointer<pbpw_filter_events>
    private var state = FilterNodeState()
    private let ready = Waiter<Void>()

    /// The global id, once the node is ready. Ids are reused by the daemon after the node is gone.
    package private(set) var nodeID: UInt32?
    package var onFailure: ((PipeWireError) -> Void)?
    /// Called on the loop when the daemon has stopped running the node, and before it runs the node again.
    package var onPause: (() -> Void)?
    /// Called when the daemon runs the node, before its first cycle.
    package var onStart: (() -> Void)?
    /// Called on the loop when another process sends the node a request. A new handler first gets the earlier requests: another
    /// client may send one before this client has seen the node in the graph.
    package var onRequest: ((_ key: String, _ value: String) -> Void)? {
        didSet {
            guard let onRequest else { return }
            let requests = earlyRequests
            earlyRequests = []
            for request in requests { onRequest(request.key, request.value) }
        }
    }
    private var earlyRequests: [(key: String, value: String)] = []
    /// Any process may send requests. The oldest of more than that are dropped.
    private static let earlyRequestLimit = 64

    /// Called on the loop for each report. A new handler first gets the earlier reports: another client may
    /// link a node before this client has seen it in the graph.
    package var onLatency: ((LatencyReport) -> Void)? {
        didSet {
            guard let onLatency else { return }
            let reports = earlyReports
            earlyReports = []
            for report in reports { onLatency(report) }
        }
    }
    private var earlyReports: [LatencyReport] = []

    /// Makes the node with all its ports, without connecting it yet.
    ///
    /// - Parameters:
    ///   - orderPorts: ports without data. A link between two of them only keeps an order.
    ///   - call: called on the audio thread once per cycle with `context` and a `crt_cycle`, denormals flushed to zero.
    ///   - load: measures the time of these calls.
    ///   - before: called ahead of `call` in each cycle.
    ///   - keepingAlive: the owners of everything that `call`, `context`, `load` and `before` point to.
    package init(
        on connection: PipeWireConnection, name: String, properties: [(String, String)], ports: [PortSpec],
        orderPorts: [PortSpec] = [], call: RealtimeCall, context: UnsafeMutableRawPointer,
        load: UnsafeMutablePointer<crt_load>, before: BeforeCall? = nil, keepingAlive: any Sendable
    ) throws(PipeWireError) {
        self.connection = connection
        keptAlive = keepingAlive
        unsafe events = .allocate(capacity: 1)
        unsafe events.initialize(to: Self.makeEvents())
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        do throws(PipeWireError) {
            let made = unsafe try connection.calls.makeFilter(
                try connection.liveCore(), name: name, properties: properties, events: events,
                call: call.words(core: context), before: before?.words, load: load, data: me)
            unsafe filter = made
            for port in ports {
                unsafe try connection.calls.addPort(made, isInput: port.isInput, properties: port.properties)
            }
            for port in orderPorts {
                unsafe try connection.calls.addOrderPort(made, isInput: port.isInput, properties: port.properties)
            }
        } catch {
            release()
            throw error
        }
    }

    deinit {
        precondition(unsafe filter == nil, "a FilterNode must be closed before it is let go")
    }

    /// The descriptors that a new node takes, and some more.
    private static let neededDescriptors = 4

    /// Connects the node and waits until the daemon knows it.
    ///
    /// - Parameter prepare: called before the node's first cycle, when its thread is known.
    package func connect(
        timeout: Duration = .seconds(5), prepare: () -> Void = {}
    ) async throws(PipeWireError) {
        _ = state.handle(.connect)
        guard let filter = unsafe filter else { throw .closed }
        // With too few descriptors libpipewire 0.3.65 closes descriptor 0 of the process.
        guard DescriptorScarcity.below(Self.neededDescriptors) == nil else {
            throw .callFailed(call: "pw_filter_connect", code: EMFILE)
        }
        unsafe try connection.calls.connect(filter: filter)
        // The daemon starts the node by a message, which this thread has not read yet.
        prepare()
        do throws(PipeWireError) {
            try await ready.value(within: timeout, on: connection.loop, waitingFor: "PipeWire to take a new node")
        } catch {
            // When the daemon ends, the node may be notified before the connection is.
            throw connection.failure ?? error
        }
        // Read again after the wait: the node may have been closed meanwhile.
        guard let filter = unsafe self.filter else { throw .closed }
        unsafe nodeID = pbpw_filter_node_id(filter)
    }

    /// Calls no handler any more.
    package func forgetHandlers() {
        onFailure = nil
        onPause = nil
        onStart = nil
        onRequest = nil
        onLatency = nil
    }

    /// Removes the node from the graph and frees it. Idempotent.
    package func close() {
        guard state.handle(.close) == .tearDown else { return }
        ready.resume(throwing: .closed)
        release()
    }

    /// Reports the loss of the daemon to the node.
    package func connectionLost(_ error: PipeWireError) {
        perform(state.handle(.connectionLost(error)))
    }

    private func release() {
        if let filter = unsafe filter {
            unsafe self.filter = nil
            // After the disconnection the audio thread no longer runs the node: it is removed from the data loop before
            // this returns.
            unsafe connection.calls.disconnect(filter: filter)
            unsafe connection.calls.destroy(filter: filter)
        }
        unsafe events.deallocate()
    }

    /// Asks the daemon not to run the node, or to run it again when something is linked to it.
    package func setActive(_ isActive: Bool) throws(PipeWireError) {
        guard let filter = unsafe filter else { throw .closed }
        unsafe try connection.calls.setActive(filter, isActive)
    }

    /// Changes a property of the node while it runs.
    package func setProperty(_ key: String, to value: String) throws(PipeWireError) {
        guard let filter = unsafe filter else { throw .closed }
        unsafe try connection.calls.setProperty(filter, key: key, value: value)
    }

    /// The present length of cycles; `nil` while the node has no driver.
    package var cycleSize: CycleSize? {
        guard let filter = unsafe filter else { return nil }
        return unsafe connection.calls.cycleSize(of: filter)
    }

    /// The position of the driver's clock, which goes on whether the node runs or not; `nil` while the node has no driver,
    /// or one that freewheels.
    package var clockPosition: UInt64? {
        guard let filter = unsafe filter else { return nil }
        return unsafe connection.calls.clockPosition(of: filter)
    }

    /// The node that drives this one, by its global id; `nil` while there is none.
    package var driver: (nodeID: UInt32, isFreewheeling: Bool)? {
        guard let filter = unsafe filter else { return nil }
        return unsafe connection.calls.driver(of: filter)
    }

    /// Increased when the audio thread begins a cycle of the node, and when it ends it: odd meanwhile.
    package var cycleMark: UInt32 {
        guard let filter = unsafe filter else { return 0 }
        return unsafe pbpw_filter_mark(filter)
    }

    /// Publishes the latency that the node itself adds, in frames, for tools that read a node's latency.
    package func setProcessLatency(frames: Int) throws(PipeWireError) {
        guard let filter = unsafe filter else { throw .closed }
        unsafe try connection.calls.setProcessLatency(filter, frames: frames)
    }

    /// Publishes a channel's latency to the ports linked to it: the age of its signal
    /// (`isOutputLatency`), or the time that the signal will still take.
    package func setLatency(
        isInput: Bool, channel: Int, isOutputLatency: Bool, latency: PathLatencyRange
    ) throws(PipeWireError) {
        guard let filter = unsafe filter else { throw .closed }
        unsafe try connection.calls.setLatency(
            filter, isInput: isInput, channel: channel, isOutputLatency: isOutputLatency, latency: latency)
    }

    package var isStreaming: Bool { state.phase == .streaming }

    private func perform(_ action: FilterNodeState.Action) {
        switch action {
        case .none, .tearDown: break
        case .ready: ready.resume(returning: ())
        case .pause: onPause?()
        case .failed(let error):
            ready.resume(throwing: error)
            onFailure?(error)
        }
    }
}

// MARK: Callbacks

extension FilterNode {
    private func report(_ report: LatencyReport) {
        if let onLatency {
            onLatency(report)
        } else {
            // Only the newest report of each kind is kept, so their number is bounded.
            earlyReports.removeAll {
                $0.isInput == report.isInput && $0.channel == report.channel
                    && $0.isOutputLatency == report.isOutputLatency
            }
            earlyReports.append(report)
        }
    }

    private func requested(_ key: String, _ value: String) {
        if let onRequest { return onRequest(key, value) }
        if earlyRequests.count == Self.earlyRequestLimit { earlyRequests.removeFirst() }
        earlyRequests.append((key, value))
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> FilterNode {
        let node = unsafe Unmanaged<FilterNode>.fromOpaque(data!).takeUnretainedValue()
        assert(node.connection.loop.isCurrent)
        return node
    }

    private static func makeEvents() -> pbpw_filter_events {
        unsafe pbpw_filter_events(
            state: { data, _, new, text in
                guard let reported = FilterNodeState.Reported(rawValue: new) else { return }
                let node = unsafe FilterNode.from(data)
                let text = unsafe text.map { unsafe String(cString: $0) }
                let wasStreaming = node.isStreaming
                node.perform(node.state.handle(.reported(reported, error: text)))
                if node.isStreaming, !wasStreaming { node.onStart?() }
            },
            latency: { data, isInput, channel, isOutputLatency, minimum, maximum in
                let least = unsafe minimum.map { unsafe PathLatency($0.pointee) }
                let most = unsafe maximum.map { unsafe PathLatency($0.pointee) }
                let latency = least.flatMap { least in most.map { PathLatencyRange(least, $0) } }
                unsafe FilterNode.from(data).report(
                    LatencyReport(
                        isInput: isInput, channel: Int(channel), isOutputLatency: isOutputLatency, latency: latency)
                )
            },
            request: { data, key, value in
                guard let key = unsafe key, let value = unsafe value else { return }
                unsafe FilterNode.from(data).requested(String(cString: key), String(cString: value))
            })
    }
}

extension PathLatency {
    init(_ latency: pbpw_latency) {
        self.init(
            cycles: latency.cycles, frames: Int(latency.frames), nanoseconds: Int(latency.nanoseconds))
    }
}
