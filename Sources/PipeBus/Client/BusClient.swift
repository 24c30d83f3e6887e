// SPDX-License-Identifier: MIT
import ConnectionGraph
package import PipeWireClient

/// An app on the bus: its connection to PipeWire, its ports, and the graph it sees.
///
/// A client has a thread of its own. It stays connected, with its ports in the graph, until it is closed; releasing the
/// object does not close it. An app usually has one.
///
/// ```swift
/// let bus = try await BusClient.connect(as: "org.example.tone", name: "Tone")
/// ```
///
/// - Thread: any; every call hops to the client's own thread.
/// - Realtime: unsafe. A process block gets all values that it needs as arguments.
public actor BusClient {
    nonisolated let app: AppIdentity
    /// The app's reverse-DNS id, which is also the name of its desktop entry.
    public nonisolated var appID: String { app.id }
    /// The app's name.
    public nonisolated var name: String { app.name }
    /// The app's icon in the icon theme.
    public nonisolated var iconName: String? { app.iconName }
    /// Whether ports of this app may be connected to each other. A loop through one app is rarely intended.
    public nonisolated var allowsConnectionsToSelf: Bool { app.allowsConnectionsToSelf }
    /// Whether other processes of the same application id count as this app, if they declare so too.
    public nonisolated var isOneAppAcrossProcesses: Bool { app.isOneAppAcrossProcesses }

    nonisolated let loop: PipeWireLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    let remote: String?
    let recorder: CallRecorder?
    let declared: Declarations
    let noticeLog = NoticeLog()
    let graphReaders = Broadcaster<GraphSnapshot>()
    /// The present life of the connection; `nil` before the first, and once the client is closed.
    var session: DaemonSession?
    /// The graph at the end of the last session.
    var lastGraph = GraphSnapshot(revision: 0, peers: [], ports: [], connections: [])
    var jobs: JobQueue?
    let termination = Termination()
    /// Held while a session starts or ends: the next one must not start, nor the loop be stopped, before it has.
    let lifecycleLock = AsyncLock()
    /// Keeps the client alive until it is closed: the loop's callbacks lead here.
    var selfReference: BusClient?

    init(_ app: AppIdentity, remote: String?, loop: PipeWireLoop, recorder: CallRecorder?) {
        self.app = app
        self.remote = remote
        self.loop = loop
        self.recorder = recorder
        declared = Declarations(app: app.name)
    }

    /// Connects to PipeWire as an app.
    ///
    /// - Parameters:
    ///   - id: the app's reverse-DNS id, such as "org.example.tone": letters, digits, "-" and "_" between dots.
    ///   - name: the app's name for people; 1…128 bytes on one line, without ":" and "/".
    ///   - iconName: the app's icon in the icon theme.
    ///   - remote: the name or absolute path of the daemon's socket. By default it is `PIPEWIRE_REMOTE`, as for any PipeWire
    ///     app, or else the user's default daemon.
    ///   - allowsConnectionsToSelf: whether ports of this app may be connected to each other, directly or through filters
    ///     of other PipeBus apps. If not, ``connect(_:to:lingers:timeout:)`` refuses such a connection in every app. One
    ///     that another patchbay makes is removed once, and silenced if it comes back.
    ///   - isOneAppAcrossProcesses: whether other processes of the id count as this app, if they declare so too. Clients in
    ///     one process always do.
    ///   - timeout: time limit for the daemon's answer.
    /// - Throws: ``PipeBusError`` `noDaemon`, `noPermission`, `incompatible`, `timedOut` or `invalidArgument`.
    public static func connect(
        as id: String, name: String, iconName: String? = nil, remote: String? = nil,
        allowsConnectionsToSelf: Bool = false, isOneAppAcrossProcesses: Bool = false,
        timeout: Duration = .seconds(5)
    ) async throws -> BusClient {
        try await connect(
            as: id, name: name, iconName: iconName, remote: remote, allowsConnectionsToSelf: allowsConnectionsToSelf,
            isOneAppAcrossProcesses: isOneAppAcrossProcesses, timeout: timeout, recorder: nil)
    }

    /// Connects to PipeWire as an app, with every call into libpipewire recorded or forced to fail.
    package static func connect(
        as id: String, name: String, iconName: String? = nil, remote: String? = nil,
        allowsConnectionsToSelf: Bool = false, isOneAppAcrossProcesses: Bool = false,
        timeout: Duration = .seconds(5), recorder: CallRecorder?
    ) async throws -> BusClient {
        try Names.check(appID: id)
        try Names.check(name: name, of: "an app")
        if let iconName { try Names.check(text: iconName, what: "The name of an icon") }
        if let remote { try Names.check(text: remote, what: "The name of a daemon") }
        do throws(PipeWireError) {
            let app = AppIdentity(
                id: id, name: name, iconName: iconName, allowsConnectionsToSelf: allowsConnectionsToSelf,
                isOneAppAcrossProcesses: isOneAppAcrossProcesses)
            let client = BusClient(app, remote: remote, loop: try PipeWireLoop(), recorder: recorder)
            do throws(PipeWireError) {
                try await client.open(timeout: timeout)
            } catch {
                await client.close()
                throw error
            }
            return client
        } catch {
            throw PipeBusError(error)
        }
    }

    private func wakeWaits() { session?.connection.wakeWaits() }

    /// The present session, while its connection is open.
    ///
    /// - Throws: the reason why there is none.
    func liveSession() throws -> DaemonSession {
        if let error = termination.error { throw error }
        guard let session else { throw PipeBusError(PipeWireError.closed) }
        try session.connection.checkOpen()
        return session
    }

    /// Performs a call that waits for the graph, and ends it when its task is cancelled.
    ///
    /// It is here and not in the session for a reason: the standard library's function runs a closure on an actor only if
    /// a method of the actor makes the closure, and the closure captures the actor.
    func cancellable<Result: Sendable>(_ call: (DaemonSession) async throws -> Result) async throws -> Result {
        let session = try liveSession()
        return try await withTaskCancellationHandler {
            try await self.perform(call, on: session)
        } onCancel: {
            Task { await self.wakeWaits() }
        }
    }

    private func perform<Result: Sendable>(
        _ call: (DaemonSession) async throws -> Result, on session: DaemonSession
    ) async throws -> Result { try await call(session) }
}
