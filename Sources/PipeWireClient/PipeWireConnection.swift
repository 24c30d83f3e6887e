// SPDX-License-Identifier: MIT
import CPipeWireShims
import Glibc

/// A connection to a PipeWire daemon: the core, the registry, and the waiting calls.
///
/// It is confined to the actor whose executor is its loop, and its callbacks come on that loop. A callback may come
/// inside one of the actor's own calls. So it only records and resumes, and never destroys an object.
@safe package final class PipeWireConnection {
    let loop: PipeWireLoop
    let calls: Calls
    private(set) var core: OpaquePointer?
    let address: RemoteAddress
    private let events: UnsafeMutablePointer<pbpw_core_events>

    /// The daemon's version, once connected.
    package private(set) var daemonVersion: LibraryVersion?
    /// The daemon's random number, chosen when it started, once connected.
    private(set) var cookie: UInt32?
    /// The daemon's process, once connected, if it can be seen.
    private(set) var daemon: DaemonProcess?
    /// The reason why the connection is unusable; `nil` while it works.
    package private(set) var failure: PipeWireError?

    /// Called on the loop for every change of the registry.
    package var onRegistryEvent: ((RegistryEvent) -> Void)?
    /// Called on the loop, once, when the daemon ends.
    package var onFailure: ((PipeWireError) -> Void)?

    /// The daemon's last refusal, for requests that have no answer of their own.
    package var refusal: String?

    private let roundTrips: RoundTrips

    /// The version of the loaded library, which may differ from the one that was compiled against.
    package static var libraryVersion: LibraryVersion {
        unsafe LibraryVersion(parsing: String(cString: pbpw_library_version())) ?? .oldestSupported
    }

    /// Connects, and waits for the daemon's first reply.
    ///
    /// - Parameters:
    ///   - properties: properties of the client, which all its nodes inherit.
    ///   - remote: a socket's name or path; `nil` for the user's default daemon.
    package init(
        loop: PipeWireLoop, properties: [(String, String)], remote: String?, recorder: CallRecorder? = nil
    ) throws(PipeWireError) {
        self.loop = loop
        roundTrips = RoundTrips(on: loop)
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
        // 0.3.65's client.conf loads no real-time module. On 1.4, which removed the file, a request for it logs a
        // warning.
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
            // The file is in another package than the library. Without it, sound at normal priority is better than
            // none. The check of the scheduling reports it.
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
    /// - Parameters:
    ///   - timeout: time limit for all of the daemon's replies together.
    ///   - silence: time limit for the daemon to send anything at all. In a large graph, with many apps that connect at once, the
    ///     replies may take long although the daemon works; to begin again would make it worse.
    package func open(timeout: Duration, silence: Duration? = nil) async throws(PipeWireError) {
        unsafe try calls.openRegistry(try liveCore())
        do throws(PipeWireError) {
            // The first round trip brings the globals, the second the replies to requests made while they came.
            let deadline = ContinuousClock.now.advanced(by: timeout)
            try await sync(timeout: timeout, silence: silence)
            try await sync(timeout: max(ContinuousClock.now.duration(to: deadline), .zero), silence: silence)
        } catch {
            guard case .timedOut = error else { throw error }
            throw .timedOut(
                what:
                    "the PipeWire daemon at \(address.sockets[0]) took the connection but does not answer; it may be stopped "
                    + "or hang, so restart PipeWire, or wait until it goes on" + RemoteAddress.sandboxHint)
        }
        if let version = daemonVersion, version < .oldestSupported {
            throw .incompatible(
                reason: "the daemon is PipeWire \(version), and \(LibraryVersion.oldestSupported) is needed")
        }
    }

    // MARK: Round trips

    /// Whether the daemon has sent nothing since a wait for it was in vain: it is stopped, hangs, or is very busy.
    package var isSilent: Bool { roundTrips.isSilent }

    /// Makes a round trip: waits until the daemon has handled everything sent so far.
    package func sync(timeout: Duration = .seconds(5)) async throws(PipeWireError) {
        try await sync(timeout: timeout, silence: nil)
    }

    private func sync(timeout: Duration, silence: Duration?) async throws(PipeWireError) {
        let sequence = unsafe try calls.sync(try liveCore())
        try await roundTrips.wait(for: sequence, within: timeout, silence: silence)
    }

    /// Makes a round trip that ends by a deadline.
    package func sync(by deadline: ContinuousClock.Instant) async throws(PipeWireError) {
        try await sync(timeout: max(ContinuousClock.now.duration(to: deadline), .zero))
    }

    /// Calls back on the loop after a round trip; never if the connection ends before.
    package func afterRoundTrip(_ action: @escaping () -> Void) throws(PipeWireError) {
        let sequence = unsafe try calls.sync(try liveCore())
        roundTrips.after(sequence, action)
    }

    // MARK: Requests

    /// The core, or the reason why there is none.
    func liveCore() throws(PipeWireError) -> OpaquePointer {
        assert(loop.isCurrent, "not on the loop")
        if let failure { throw failure }
        guard let core = unsafe core else { throw .closed }
        return unsafe core
    }

    /// Requests reports about a client's or a node's properties, a link's feedback mark or a port's latency.
    package func bind(id: UInt32, kind: RegistryEvent.Kind) {
        // Refused for lack of permission: the object is then known by its global properties alone.
        guard let core = unsafe try? liveCore() else { return }
        unsafe try? calls.bind(core, id: id, kind: kind.rawValue)
    }

    package func unbind(id: UInt32) {
        guard let core = unsafe try? liveCore() else { return }
        unsafe calls.unbind(core, id: id)
    }

    /// Sends a request to a bound node of any process, whose ``FilterNode/onRequest`` is called.
    package func request(ofNode id: UInt32, key: String, value: String) throws(PipeWireError) {
        unsafe try calls.request(try liveCore(), node: id, key: key, value: value)
    }

    /// Removes any object from the graph, this client's or another's, if the daemon permits it.
    package func destroyGlobal(id: UInt32) throws(PipeWireError) {
        unsafe try calls.destroyGlobal(try liveCore(), id: id)
    }

    /// The global id of this client; `nil` before the daemon has told it.
    package var clientID: UInt32? {
        guard let core = unsafe try? liveCore() else { return nil }
        let id = unsafe pbpw_core_client_id(core)
        return id == UInt32.max ? nil : id
    }

    // MARK: The end

    /// Ends all waits for the daemon, and refuses later ones, before the connection is closed.
    package func abort() { fail(with: .closed) }

    /// Ends the connection. Everything made through it must be closed before. Idempotent.
    package func close() {
        fail(with: .closed)
        guard let core = unsafe core else { return }
        unsafe self.core = nil
        unsafe calls.destroy(core: core)
        unsafe events.deallocate()
    }

    private func fail(with error: PipeWireError) {
        if failure == nil { failure = error }
        roundTrips.fail(with: error)
    }
}

// MARK: Callbacks

extension PipeWireConnection {
    private static func from(_ data: UnsafeMutableRawPointer?) -> PipeWireConnection {
        let connection = unsafe Unmanaged<PipeWireConnection>.fromOpaque(data!).takeUnretainedValue()
        assert(connection.loop.isCurrent)
        connection.roundTrips.messageReceived()
        return connection
    }

    private static func makeEvents() -> pbpw_core_events {
        unsafe pbpw_core_events(
            info: { data, cookie, version, pid in
                let text = unsafe version.map { unsafe String(cString: $0) } ?? ""
                let connection = unsafe PipeWireConnection.from(data)
                connection.daemonVersion = LibraryVersion(parsing: text)
                connection.cookie = cookie
                if connection.daemon == nil {
                    connection.daemon = DaemonProcess(pid: pid, at: connection.address)
                }
            },
            done: { data, id, sequence in
                guard id == 0 else { return }
                unsafe PipeWireConnection.from(data).roundTrips.answered(sequence)
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
            node_state: { data, id, isRunning in
                unsafe PipeWireConnection.from(data).onRegistryEvent?(.nodeState(id: id, isRunning: isRunning))
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

    /// Errors of single objects come to their proxies as well. Only the core's own errors end the connection.
    private func coreFailed(id: UInt32, code: Int32, message: String) {
        if code == EPERM || code == EACCES { refusal = message }
        guard id == 0, failure == nil, code == EPIPE || code == EPROTO || message == "connection error" else { return }
        let error = PipeWireError.connectionLost(
            ConnectionLoss(
                at: address, of: daemon, hasAnswered: cookie != nil, code: code, reason: message))
        fail(with: error)
        onFailure?(error)
    }
}
