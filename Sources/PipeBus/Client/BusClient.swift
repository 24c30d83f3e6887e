// SPDX-License-Identifier: MIT
import ConnectionGraph
package import PipeWireClient
import Synchronization

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

    /// The daemon's socket; `nil` for the default.
    package nonisolated let remote: String?
    /// The path of the socket for another process, whose environment may name another one; `nil` for the user's own daemon.
    package nonisolated var remoteForOthers: String? { RemoteAddress(remote: remote).namedSocket }
    let recorder: CallRecorder?
    let sleepSigns: SleepSigns
    let declared: Declarations
    let noticeLog: NoticeLog
    let graphReaders = Broadcaster<GraphSnapshot>()
    /// The present life of the connection; `nil` before the first, and once the client is closed.
    var session: DaemonSession?
    /// The graph at the end of the last session.
    var lastGraph = GraphSnapshot.empty
    var jobs: JobQueue?
    let termination = Termination()
    /// The client's state, and its waits between sessions.
    let reconnector: Reconnector
    nonisolated let statePublisher: StatePublisher
    nonisolated let clockPublisher = ClockPublisher()
    nonisolated let blockWatch: BlockWatch
    /// The task that closes the client, from the first call to ``close()`` on.
    nonisolated let closing = Mutex<Task<Void, Never>?>(nil)
    /// From the opening of the client to its end.
    var suspensions: SuspensionWatch?
    /// The connection to the system bus, in one client of the process.
    var sleepBus: SleepBus?
    /// The session that is being opened.
    var startingSession: DaemonSession?
    /// A session whose connection was lost for a reason that is not known yet.
    var unexplainedLoss: DaemonSession?
    /// Held while a receiver's monitor is made or closed.
    let monitorLock = AsyncLock()
    /// Held while a session starts or ends: the next one must not start, nor the loop be stopped, before it has.
    let lifecycleLock = AsyncLock()
    /// The number of readers of ``activity(every:)`` that there have been.
    var activityReaders = 0
    /// The routings that are kept, by their numbers.
    var routings: [Int: RoutingKeeper] = [:]
    /// What the app answers to requests that it end; `nil` for the standard.
    var quitAnswer: (@Sendable (QuitRequest) async -> QuitRequest.Answer)?
    /// Why the waits for a signal have ended, if no signal and no end of the client ended them.
    var requestedEnding: Ending?
    /// The number of routings that there have been.
    var routingCount = 0
    /// Keeps the client alive until it is closed: the loop's callbacks lead here.
    var selfReference: BusClient?

    init(
        _ app: AppIdentity, remote: String?, loop: PipeWireLoop, recorder: CallRecorder?, sleepSigns: SleepSigns,
        backOff: BackOff
    ) {
        self.sleepSigns = sleepSigns
        self.app = app
        self.remote = remote
        self.loop = loop
        self.recorder = recorder
        declared = Declarations(app: app.name)
        noticeLog = NoticeLog()
        statePublisher = StatePublisher()
        blockWatch = BlockWatch(notices: noticeLog, states: statePublisher)
        reconnector = Reconnector(to: remote, on: loop, publisher: statePublisher, backOff: backOff)
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
    ///     of other PipeBus apps. If not, ``connect(_:to:channels:lingers:timeout:)`` refuses such a connection in every app. One
    ///     that another patchbay makes is removed once, and silenced if it comes back.
    ///   - isOneAppAcrossProcesses: whether other processes of the id count as this app, if they declare so too. Clients in
    ///     one process always do.
    ///   - restoresForeignConnections: whether connections that other programs have made to the app's ports come back too after
    ///     an interruption, if they existed for a second at least.
    ///   - waitsForDaemon: whether the call returns a client also if no daemon can be used now. The client is `interrupted` then,
    ///     and connects when a daemon is there; see ``state``. A daemon that does not answer is waited for until `timeout` first.
    ///   - timeout: the longest time that the daemon may send nothing at all. A large graph may take longer than that: up to 60 s,
    ///     or `timeout` if that is more.
    /// - Throws: ``PipeBusError`` `notInstalled`, `noDaemon`, `noPermission`, `incompatible`, `timedOut`, `connectionLost`,
    ///   `invalidArgument`, or `pipeWire` if the process has no descriptors or threads left.
    public static func connect(
        as id: String, name: String, iconName: String? = nil, remote: String? = nil,
        allowsConnectionsToSelf: Bool = false, isOneAppAcrossProcesses: Bool = false,
        restoresForeignConnections: Bool = true, waitsForDaemon: Bool = false, timeout: Duration = .seconds(5)
    ) async throws -> BusClient {
        try await connect(
            as: id, name: name, iconName: iconName, remote: remote, allowsConnectionsToSelf: allowsConnectionsToSelf,
            isOneAppAcrossProcesses: isOneAppAcrossProcesses, restoresForeignConnections: restoresForeignConnections,
            waitsForDaemon: waitsForDaemon, timeout: timeout, recorder: nil)
    }

    /// Connects to PipeWire as an app, with every call into libpipewire recorded or forced to fail, with other signs of
    /// the system's sleep, and with other delays between attempts to connect.
    package static func connect(
        as id: String, name: String, iconName: String? = nil, remote: String? = nil,
        allowsConnectionsToSelf: Bool = false, isOneAppAcrossProcesses: Bool = false,
        restoresForeignConnections: Bool = true, waitsForDaemon: Bool = false, timeout: Duration = .seconds(5),
        recorder: CallRecorder?, sleepSigns: SleepSigns = SleepSigns(), backOff: BackOff = BackOff()
    ) async throws -> BusClient {
        try Names.check(appID: id)
        try Names.check(name: name, of: "an app")
        if let iconName { try Names.check(text: iconName, what: "The name of an icon") }
        if let remote { try Names.check(text: remote, what: "The name of a daemon") }
        guard timeout > .zero else {
            throw PipeBusError(.invalidArgument, "The time limit must be longer than 0; with 0 no daemon could answer.")
        }
        do {
            let app = AppIdentity(
                id: id, name: name, iconName: iconName, allowsConnectionsToSelf: allowsConnectionsToSelf,
                isOneAppAcrossProcesses: isOneAppAcrossProcesses,
                restoresForeignConnections: restoresForeignConnections)
            let client = BusClient(
                app, remote: remote, loop: try PipeWireLoop(), recorder: recorder, sleepSigns: sleepSigns,
                backOff: backOff)
            do throws(PipeWireError) {
                try await client.open(timeout: timeout, waitsForDaemon: waitsForDaemon)
            } catch {
                let isInstalled = remote != nil || isDaemonInstalled
                await client.close()
                if case .noDaemon = error, !isInstalled {
                    throw PipeBusError(.notInstalled, StateReason.notInstalledMessage)
                }
                throw PipeBusError(error)
            }
            return client
        } catch let error as PipeWireError {
            throw PipeBusError(error)
        }
    }

    private func wakeWaits() {
        session?.connection.wakeWaits()
        reconnector.wakeCalls()
    }

    /// - Throws: the reason of the end, if the client has ended.
    func checkOpen() throws {
        if let error = termination.error { throw error }
        if jobs == nil { throw PipeBusError(PipeWireError.closed) }
    }

    /// The present session, while its connection is open.
    ///
    /// - Throws: ``PipeBusError`` `connectionLost` during an interruption; the reason of the end.
    func liveSession() throws -> DaemonSession {
        if let error = termination.error { throw error }
        guard reconnector.hasSession else { throw reconnector.interruption }
        guard let session else { throw PipeBusError(PipeWireError.closed) }
        try session.connection.checkOpen()
        return session
    }

    /// Whether the connection is lost and the client connects again. The client's state says so later, when the reason is known,
    /// and for longer, until the next session has proved sound.
    var isInterrupted: Bool { !reconnector.hasSession || session?.connection.isLost == true }

    /// The present session, or the next one when there is one by the deadline.
    private func nextSession(by deadline: ContinuousClock.Instant) async throws -> DaemonSession {
        while true {
            if let error = termination.error { throw error }
            if !isInterrupted { return try liveSession() }
            try Task.checkCancellation()
            try await reconnector.waitForSession(by: deadline)
        }
    }

    /// Performs a call that waits for the graph, and ends it when its task is cancelled. A call that is interrupted is
    /// performed again in the next session.
    ///
    /// It is here and not in the session for a reason: the standard library's function runs a closure on an actor only if
    /// a method of the actor makes the closure, and the closure captures the actor.
    ///
    /// - Parameter deadline: the latest time at which the call begins.
    func cancellable<Result: Sendable>(
        by deadline: ContinuousClock.Instant, _ call: (DaemonSession) async throws -> Result
    ) async throws -> Result {
        try await withTaskCancellationHandler {
            try await self.perform(by: deadline, call)
        } onCancel: {
            Task { await self.wakeWaits() }
        }
    }

    private func perform<Result: Sendable>(
        by deadline: ContinuousClock.Instant, _ call: (DaemonSession) async throws -> Result
    ) async throws -> Result {
        while true {
            let session = try await nextSession(by: deadline)
            do {
                return try await call(session)
            } catch {
                // Not a session that the app itself has ended.
                guard session.connection.isLost else { throw error }
                if let end = termination.error { throw end }
            }
        }
    }
}
