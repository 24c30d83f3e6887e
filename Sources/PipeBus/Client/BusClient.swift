// SPDX-License-Identifier: MIT
import ConnectionGraph
package import PipeWireClient

/// An app on the bus: its connection to PipeWire, its ports, and the graph it sees.
///
/// A client lives on a thread of its own and stays connected, with its ports in the graph, until it is closed; letting
/// go of the object does not close it. An app usually has one.
///
/// ```swift
/// let bus = try await BusClient.connect(as: "org.example.tone", name: "Tone")
/// ```
///
/// - Thread: any; every call hops to the client's own thread.
/// - Realtime: unsafe. Process blocks are given all they need.
public actor BusClient {
    nonisolated let app: AppIdentity
    /// The app's reverse-DNS id, which is also the name of its desktop entry.
    public nonisolated var appID: String { app.id }
    /// What the app calls itself.
    public nonisolated var name: String { app.name }
    /// The app's icon in the icon theme.
    public nonisolated var iconName: String? { app.iconName }
    /// Whether ports of this app may be connected to each other. A loop through one app is rarely meant.
    public nonisolated var allowsConnectionsToSelf: Bool { app.allowsConnectionsToSelf }
    /// Whether other processes of the same application id count as this app, if they say so too.
    public nonisolated var isOneAppAcrossProcesses: Bool { app.isOneAppAcrossProcesses }

    nonisolated let loop: PipeWireLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private let remote: String?
    private let recorder: CallRecorder?
    let declared: Declarations
    let noticeLog = NoticeLog()
    let graphReaders = Broadcaster<GraphSnapshot>()
    /// The present life of the connection; `nil` before the first, and once the client is closed.
    private(set) var session: DaemonSession?
    /// What was in the graph when the last session ended.
    private(set) var lastGraph = GraphSnapshot(revision: 0, peers: [], ports: [], connections: [])
    private var jobs: JobQueue?
    /// Why the client is of no more use.
    var terminationError: PipeBusError?
    var endWaiters: [CheckedContinuation<Void, Never>] = []
    private var isTearingDown = false
    private var tearDownWaiters: [CheckedContinuation<Void, Never>] = []
    /// A client keeps itself alive until it is closed: the loop's callbacks lead here.
    private var selfReference: BusClient?

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
    ///   - name: what people call the app; 1…128 bytes on one line, without ":" and "/".
    ///   - iconName: the app's icon in the icon theme.
    ///   - remote: the daemon, by its socket's name or absolute path. Without it `PIPEWIRE_REMOTE` decides, as for any
    ///     PipeWire app, and then the user's default daemon.
    ///   - allowsConnectionsToSelf: whether ports of this app may be connected to each other, straight or through filters
    ///     of other PipeBus apps. If not, ``connect(_:to:lingers:timeout:)`` refuses it in every app, and such a connection
    ///     made by another patchbay is removed once and silent if it comes back.
    ///   - isOneAppAcrossProcesses: whether other processes of that id count as this app, if they say so too. Clients in one
    ///     process always do.
    ///   - timeout: how long the daemon may take to answer.
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

    /// The same, with every call into libpipewire recorded or forced to fail.
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

    private func open(timeout: Duration) async throws(PipeWireError) {
        selfReference = self
        jobs = JobQueue { [unowned self] in assumeIsolated { $0.startJob() } }
        try await startSession(timeout: timeout)
    }

    /// Begins a life of the connection.
    func startSession(timeout: Duration) async throws(PipeWireError) {
        guard let jobs else { throw .closed }
        let session = try DaemonSession(
            DaemonSession.Context(
                firstRevision: lastGraph.revision,
                app: app, remote: remote, loop: loop, recorder: recorder, declared: declared, notices: noticeLog,
                graphReaders: graphReaders, jobs: jobs,
                repairOrder: { [weak self] pair in Task { await self?.repairOrder(pair) } }))
        self.session = session
        session.onFailure = { [unowned self] error in assumeIsolated { $0.sessionFailed(error) } }
        try await session.open(timeout: timeout)
    }

    /// Ends this life of the connection, and keeps what the app asked for. Calls fail until ``restartSession(timeout:)``.
    package func endSession() async {
        guard let session, terminationError == nil else { return }
        lastGraph = session.model.snapshot
        await session.end()
    }

    /// Begins another life, in which everything is there that the app asked for.
    package func restartSession(timeout: Duration = .seconds(5)) async throws {
        await endSession()
        do throws(PipeWireError) {
            try await startSession(timeout: timeout)
        } catch {
            throw PipeBusError(error)
        }
        try await live().rebuild()
    }

    private func wakeWaits() { session?.changeWaits.resumeAll() }

    /// A task of its own for the oldest job: components cannot start one.
    private func startJob() { Task { runJob() } }

    private func runJob() { jobs?.run() }

    private func repairOrder(_ pair: PortOrder.Pair) async {
        guard let session else { return }
        await session.repairOrder(pair)
    }

    /// The present session.
    ///
    /// - Throws: why there is none any more.
    func live() throws -> DaemonSession {
        if let terminationError { throw terminationError }
        guard let session else { throw PipeBusError(PipeWireError.closed) }
        try session.checkOpen()
        return session
    }

    /// A call that waits for the graph: it ends when its task is cancelled.
    ///
    /// Here and not in the session: the standard library's function runs a closure on an actor only if it is made in one of
    /// the actor's methods and captures the actor.
    func cancellable<Result: Sendable>(_ call: (DaemonSession) async throws -> Result) async throws -> Result {
        let session = try live()
        return try await withTaskCancellationHandler {
            try await self.perform(call, on: session)
        } onCancel: {
            Task { await self.wakeWaits() }
        }
    }

    private func perform<Result: Sendable>(
        _ call: (DaemonSession) async throws -> Result, on session: DaemonSession
    ) async throws -> Result { try await call(session) }

    // MARK: The end

    /// Inside PipeWire's callback.
    private func sessionFailed(_ error: PipeWireError) {
        guard terminationError == nil else { return }
        terminationError = PipeBusError(error)
        let isReasonKnown = if case .connectionLost(.unknown) = error { false } else { true }
        endStreams()
        if isReasonKnown { wakeEndWaiters() } else { Task { await findReasonForLoss() } }
    }

    /// After the end nobody reads anything any more.
    private func endStreams() {
        for port in declared.ports { port.handle.endStreams() }
        graphReaders.finish()
        noticeLog.finish()
    }

    /// Ends the session and the client. When it returns nothing of the app is in the graph.
    func tearDown() async {
        guard let session else {
            // Somebody else is at it: the loop must not be stopped under them.
            if isTearingDown { await withCheckedContinuation { tearDownWaiters.append($0) } }
            return
        }
        lastGraph = session.model.snapshot
        self.session = nil
        isTearingDown = true
        await session.end()
        if terminationError == nil { terminationError = PipeBusError(PipeWireError.closed) }
        endStreams()
        declared.removeAll()
        wakeEndWaiters()
        jobs = nil
        selfReference = nil
        isTearingDown = false
        for waiter in tearDownWaiters { waiter.resume() }
        tearDownWaiters = []
    }
}
