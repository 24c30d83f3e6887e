// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// One life of the connection to a daemon, with everything that is known by global ids or serials: they mean nothing to
/// another daemon. Dropping the session drops all of it. What the app asked for is in ``Declarations``, and stays.
///
/// Lives on the loop. PipeWire's callbacks lead here; see `DaemonSession+Registry`.
final class DaemonSession {
    /// What a session is given by its client.
    struct Context {
        /// Of the graph: what apps see of it never goes back.
        let firstRevision: UInt64
        let app: AppIdentity
        /// The daemon's socket; `nil` for the user's default daemon.
        let remote: String?
        let loop: PipeWireLoop
        let recorder: CallRecorder?
        let declared: Declarations
        let notices: NoticeLog
        let graphReaders: Broadcaster<GraphSnapshot>
        let jobs: JobQueue
        /// Starts a task that calls ``DaemonSession/repairOrder(_:)``.
        let repairOrder: @Sendable (PortOrder.Pair) -> Void
    }

    let context: Context
    var app: AppIdentity { context.app }
    var loop: PipeWireLoop { context.loop }
    var declared: Declarations { context.declared }
    var jobs: JobQueue { context.jobs }

    let connection: PipeWireConnection
    /// Why the session is of no more use.
    private(set) var failure: PipeBusError?
    private var isEnded = false
    /// Called inside PipeWire's callback when the connection is lost.
    var onFailure: ((PipeWireError) -> Void)?

    let model: GraphModel
    var ports = PortTable()
    /// Nodes that are being made: they must go before the connection does, whoever waits for them.
    var unfinished: [FilterNode] = []
    let creation = AsyncLock()
    var hasCheckedScheduling = false

    let links: LinkTable
    var orderLinks = OrderLinks()
    /// The connections that the app made, by their links.
    var connections: [LinkTable.Key: ConnectionDeclaration] = [:]
    /// What calls of `connect` are making.
    var connecting: [(source: GraphPort.ID, destination: GraphPort.ID)] = []

    /// Clients whose properties were asked for.
    var boundClients: Set<UInt32> = []
    var refresh = Refresh()
    /// What a change must be near to, to matter to our ports.
    var surroundings = Surroundings()
    /// Tasks that wait for the graph to change.
    let changeWaits = WaitList()
    let timers: Timers
    /// Tasks that let some time pass.
    let pendingSleeps = WaitList()
    let requests = PeerRequests()

    var latencyWatch = LatencyWatch()
    /// Looks at the cycle's length now and then, while that matters.
    var cycleTimer: LoopTimer?
    var audioWatch = AudioWatch()
    /// What other processes may see and ask for, once there is a receiver.
    var sharedState: SharedState?

    /// Connects; it must be ended.
    init(_ context: Context) throws(PipeWireError) {
        self.context = context
        model = GraphModel(firstRevision: context.firstRevision)
        let app = context.app
        var properties = [
            ("application.name", app.name), ("application.id", app.id), ("media.category", "Duplex"),
            ("media.role", "Production"),
        ]
        if let iconName = app.iconName { properties.append(("application.icon-name", iconName)) }
        connection = try PipeWireConnection(
            loop: context.loop, properties: properties, remote: context.remote, recorder: context.recorder)
        links = LinkTable(on: connection, jobs: context.jobs)
        timers = Timers(on: context.loop, jobs: context.jobs)
        links.onLoss = { [unowned self] key in linkLost(key) }
        connection.onRegistryEvent = { [unowned self] event in registryChanged(event) }
        connection.onFailure = { [unowned self] error in fail(error) }
    }

    /// Waits until everything that is in the graph has been reported.
    func open(timeout: Duration) async throws(PipeWireError) { try await connection.open(timeout: timeout) }

    var isOpen: Bool { failure == nil }

    /// - Throws: why the session is of no more use, if so.
    func checkOpen() throws { if let failure { throw failure } }

    /// Does something in a job once the daemon has handled everything sent so far; never if the session ends before.
    func afterRoundTrip(_ job: @escaping () -> Void) {
        try? connection.afterRoundTrip { [jobs] in jobs.add(job) }
    }

    /// Looks up ports in the present graph.
    var finder: PortFinder { PortFinder(model.snapshot) }

    func post(_ notice: Notice) { context.notices.post(notice) }

    // MARK: The end

    /// The connection is lost. Inside PipeWire's callback, so nothing is destroyed yet: that is ``end()``'s.
    private func fail(_ error: PipeWireError) {
        guard isOpen else { return }
        failure = PipeBusError(error)
        for port in ports {
            port.node.connectionLost(error)
            // Nobody hears it any more, and so nobody plays it.
            port.status.set(PortStatus(rawValue: 0))
        }
        for node in unfinished { node.connectionLost(error) }
        if let error = connection.failure { sharedState?.connectionLost(error) }
        links.connectionLost(error)
        endWaits()
        onFailure?(error)
    }

    /// After the end nobody waits for anything any more.
    private func endWaits() {
        audioWatch.timer = nil
        timers.cancelAll()
        changeWaits.resumeAll()
        pendingSleeps.resumeAll()
    }

    /// Takes everything out of the graph and ends the connection. When it returns no process block runs any more. Idempotent.
    func end() async {
        guard !isEnded else { return }
        isEnded = true
        if failure == nil { failure = PipeBusError(PipeWireError.closed) }
        for port in ports { remove(port) }
        ports = PortTable()
        for node in unfinished { node.close() }
        requests.close()
        links.close()
        cycleTimer?.cancel()
        cycleTimer = nil
        sharedState?.close()
        sharedState = nil
        endWaits()
        // So that nothing is left in the graph when this returns. Fails at once if the daemon is gone.
        try? await connection.sync(timeout: .seconds(2))
        connection.onRegistryEvent = nil
        connection.onFailure = nil
        connection.close()
    }
}
