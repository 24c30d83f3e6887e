// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

/// A connection to a PipeWire daemon: core, registry, and the waiting for answers.
///
/// It belongs to the actor whose executor is its loop, and its callbacks come on that loop. They may come inside one of
/// our own calls, so they only record and resume; nothing is destroyed in them.
@safe package final class PipeWireConnection {
    let loop: PipeWireLoop
    let calls: Calls
    private(set) var core: OpaquePointer?
    let address: RemoteAddress
    private let events: UnsafeMutablePointer<pbpw_core_events>

    /// The version the daemon gave, once connected.
    package private(set) var daemonVersion: LibraryVersion?
    /// A number that the daemon chose at random when it started, once connected.
    private(set) var cookie: UInt32?
    /// Why the connection is of no more use; `nil` while it works.
    package private(set) var failure: PipeWireError?

    /// Called on the loop for every change of the registry.
    package var onRegistryEvent: ((RegistryEvent) -> Void)?
    /// Called on the loop, once, when the daemon goes away.
    package var onFailure: ((PipeWireError) -> Void)?

    /// What the daemon last said it would not let us do; for requests that have no answer of their own.
    package var refusal: String?

    private var pending: [Int32: Waiter<Void>] = [:]
    private var afterRoundTrip: [Int32: () -> Void] = [:]

    /// The version of the library that is loaded now, which need not be the one that was compiled against.
    package static var libraryVersion: LibraryVersion {
        unsafe LibraryVersion(parsing: String(cString: pbpw_library_version())) ?? .oldestSupported
    }

    /// Connects and waits for the daemon's first answer.
    ///
    /// - Parameters:
    ///   - properties: of the client, which all its nodes inherit.
    ///   - remote: a socket's name or path; `nil` for the user's default daemon.
    package init(
        loop: PipeWireLoop, properties: [(String, String)], remote: String?, recorder: CallRecorder? = nil
    ) throws(PipeWireError) {
        self.loop = loop
        calls = Calls(recorder: recorder)
        address = RemoteAddress(remote: remote)
        unsafe events = .allocate(capacity: 1)
        unsafe events.initialize(to: Self.makeEvents())
        do throws(PipeWireError) {
            unsafe core = try connect(properties)
        } catch {
            unsafe events.deallocate()
            guard case .callFailed("pw_context_connect", let code) = error else { throw error }
            throw address.error(for: code)
        }
    }

    private func connect(_ properties: [(String, String)]) throws(PipeWireError) -> OpaquePointer {
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        // 0.3.65's client.conf loads no real-time module; asking for a file that 1.4 removed logs a warning there.
        guard Self.libraryVersion < .loadsRealtimeModuleByDefault,
            RemoteAddress.environment("PIPEWIRE_CONFIG_NAME") == nil
        else {
            return unsafe try calls.connect(
                loop: loop, properties: properties, address: address, events: events, data: me)
        }
        do throws(PipeWireError) {
            return unsafe try calls.connect(
                loop: loop, properties: properties + [("config.name", "client-rt.conf")], address: address,
                events: events, data: me)
        } catch {
            // The file comes with another package than the library: without it, sound at normal priority is better
            // than none. Whoever checks the scheduling finds out and says so.
            guard case .callFailed("pw_context_new", _) = error else { throw error }
            return unsafe try calls.connect(
                loop: loop, properties: properties, address: address, events: events, data: me)
        }
    }

    deinit {
        // Only a connection that never worked, or was closed, gets here: see `close`.
        precondition(unsafe core == nil, "a PipeWireConnection must be closed before it is let go")
    }

    /// Opens the registry and waits until everything that exists has been reported.
    ///
    /// - Parameter timeout: how long the daemon may take, in all.
    package func open(timeout: Duration) async throws(PipeWireError) {
        unsafe try calls.openRegistry(try liveCore())
        do throws(PipeWireError) {
            // The first round trip brings the globals, the second what was asked for while they came.
            let deadline = ContinuousClock.now.advanced(by: timeout)
            try await sync(timeout: timeout)
            try await sync(by: deadline)
        } catch {
            guard case .timedOut = error else { throw error }
            throw .timedOut(
                what: "the PipeWire daemon at \(address.sockets[0]) took the connection but does not answer; "
                    + "a session manager may be withholding permission")
        }
        if let version = daemonVersion, version < .oldestSupported {
            throw .incompatible(
                reason: "the daemon is PipeWire \(version), and \(LibraryVersion.oldestSupported) is needed")
        }
    }

    /// Waits until the daemon has handled everything sent so far.
    package func sync(timeout: Duration = .seconds(5)) async throws(PipeWireError) {
        let core = unsafe try liveCore()
        let sequence = unsafe try calls.sync(core)
        let waiter = Waiter<Void>()
        pending[sequence] = waiter
        defer { pending[sequence] = nil }
        try await waiter.value(within: timeout, on: loop, waitingFor: "the PipeWire daemon to answer")
    }

    /// The same, for one of several waits that have a bound together.
    package func sync(by deadline: ContinuousClock.Instant) async throws(PipeWireError) {
        try await sync(timeout: max(ContinuousClock.now.duration(to: deadline), .zero))
    }

    /// Calls back on the loop once the daemon has handled everything sent so far; never if the connection ends before.
    package func afterRoundTrip(_ action: @escaping () -> Void) throws(PipeWireError) {
        let sequence = unsafe try calls.sync(try liveCore())
        afterRoundTrip[sequence] = action
    }

    /// The core, or why there is none.
    func liveCore() throws(PipeWireError) -> OpaquePointer {
        assert(loop.isCurrent, "not on the loop")
        if let failure { throw failure }
        guard let core = unsafe core else { throw .closed }
        return unsafe core
    }

    /// Asks for reports about a client's or a node's properties, a link's mark or a port's latency.
    package func bind(id: UInt32, kind: RegistryEvent.Kind) {
        // Refused for lack of permission: the object is then known by its global properties alone.
        guard let core = unsafe try? liveCore() else { return }
        unsafe try? calls.bind(core, id: id, kind: kind.rawValue)
    }

    package func unbind(id: UInt32) {
        guard let core = unsafe try? liveCore() else { return }
        unsafe calls.unbind(core, id: id)
    }

    /// Asks something of a node that is bound, of whatever process: its ``FilterNode/onRequest`` is called.
    package func request(ofNode id: UInt32, key: String, value: String) throws(PipeWireError) {
        unsafe try calls.request(try liveCore(), node: id, key: key, value: value)
    }

    /// Removes any object from the graph, ours or another's, if the daemon lets us.
    package func destroyGlobal(id: UInt32) throws(PipeWireError) {
        unsafe try calls.destroyGlobal(try liveCore(), id: id)
    }

    /// Ends the connection; everything made through it must be gone by then. Idempotent.
    package func close() {
        fail(with: .closed)
        guard let core = unsafe core else { return }
        unsafe self.core = nil
        unsafe calls.destroy(core: core)
        unsafe events.deallocate()
    }

    private func fail(with error: PipeWireError) {
        if failure == nil { failure = error }
        for waiter in pending.values { waiter.resume(throwing: error) }
        afterRoundTrip = [:]
    }
}

// MARK: Callbacks

extension PipeWireConnection {
    private static func from(_ data: UnsafeMutableRawPointer?) -> PipeWireConnection {
        let connection = unsafe Unmanaged<PipeWireConnection>.fromOpaque(data!).takeUnretainedValue()
        assert(connection.loop.isCurrent)
        return connection
    }

    private static func makeEvents() -> pbpw_core_events {
        unsafe pbpw_core_events(
            info: { data, cookie, version, _ in
                let text = unsafe version.map { unsafe String(cString: $0) } ?? ""
                let connection = unsafe PipeWireConnection.from(data)
                connection.daemonVersion = LibraryVersion(parsing: text)
                connection.cookie = cookie
            },
            done: { data, id, sequence in
                guard id == 0 else { return }
                let connection = unsafe PipeWireConnection.from(data)
                connection.pending[sequence]?.resume(returning: ())
                connection.afterRoundTrip.removeValue(forKey: sequence)?()
            },
            error: { data, id, _, code, message in
                unsafe PipeWireConnection.from(data).coreFailed(
                    id: id, code: -code, message: message.map { unsafe String(cString: $0) } ?? "")
            },
            global: { data, id, kind, dict in
                let kind = RegistryEvent.Kind(rawValue: kind) ?? .other
                let properties = unsafe Properties.dictionary(from: dict)
                unsafe PipeWireConnection.from(data).onRegistryEvent?(
                    .added(id: id, kind: kind, properties: properties))
            },
            global_removed: { data, id in
                unsafe PipeWireConnection.from(data).onRegistryEvent?(.removed(id: id))
            },
            properties: { data, id, dict in
                unsafe PipeWireConnection.from(data).onRegistryEvent?(
                    .properties(id: id, Properties.dictionary(from: dict)))
            },
            feedback: { data, id, isFeedback in
                unsafe PipeWireConnection.from(data).onRegistryEvent?(.feedback(id: id, isFeedback))
            },
            latency: { data, id, isOutputLatency, minimum, maximum in
                guard let minimum = unsafe minimum, let maximum = unsafe maximum else { return }
                let range = unsafe PathLatencyRange(PathLatency(minimum.pointee), PathLatency(maximum.pointee))
                unsafe PipeWireConnection.from(data).onRegistryEvent?(
                    .latency(id: id, isOutputLatency: isOutputLatency, range))
            })
    }

    /// Errors of single objects come to their proxies as well; only the core's own end the connection.
    private func coreFailed(id: UInt32, code: Int32, message: String) {
        if code == EPERM || code == EACCES { refusal = message }
        guard id == 0, failure == nil, code == EPIPE || code == EPROTO || message == "connection error" else { return }
        let error = PipeWireError.connectionLost(ConnectionLoss(at: address, code: code, reason: message))
        fail(with: error)
        onFailure?(error)
    }
}
