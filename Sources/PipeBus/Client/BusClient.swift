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
    /// The app's reverse-DNS id, which is also the name of its desktop entry.
    public nonisolated let appID: String
    /// What the app calls itself.
    public nonisolated let name: String
    /// The app's icon in the icon theme.
    public nonisolated let iconName: String?
    /// Whether ports of this app may be connected to each other. A loop through one app is rarely meant.
    public nonisolated let allowsConnectionsToSelf: Bool
    /// Whether other processes of the same application id count as this app, if they say so too.
    public nonisolated let isOneAppAcrossProcesses: Bool

    nonisolated let loop: PipeWireLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    let remote: String?
    let recorder: CallRecorder?
    var connection: PipeWireConnection?
    /// Why the client is of no more use.
    var ending: PipeBusError?

    let model = GraphModel()
    var ports = PortTable()
    var nextOrder = 0
    /// Nodes that are being made: they must go before the connection does, whoever waits for them.
    var unfinished: [FilterNode] = []
    /// Names of ports that are being made, so that two calls at once cannot take the same.
    var namesInUse: Set<String> = []
    let creation = AsyncLock()

    var ordering = Ordering()

    /// The links we asked for, by their ports.
    var links: [LinkKey: Link] = [:]
    var refresh = Refresh()
    /// What a change must be near to, to matter to our ports.
    var surroundings = Surroundings()
    /// Tasks that wait for the graph to change.
    let changeWaits = WaitList()
    /// Tasks that let some time pass.
    let pauses = WaitList()
    let graphReaders = Broadcaster<GraphSnapshot>()
    let noticeLog = NoticeLog()
    /// Connections beside the main one, over which something is being asked: they must end with the client.
    var asking: [any SideConnection] = []
    /// What calls of `connect` are making.
    var connecting: [(source: GraphPort.ID, destination: GraphPort.ID)] = []
    var latencyWatch = LatencyWatch()
    /// Looks at the cycle's length now and then, while that matters.
    var cycleTimer: LoopTimer?
    var audioWatch = AudioWatch()
    /// What other processes may see and ask for, once there is a receiver.
    var sharedState: SharedState?
    /// Of the sources of each receiver, by the receiver's name: they outlive the receiver.
    var levels: [String: SourceLevels] = [:]
    var endWaiters: [CheckedContinuation<Void, Never>] = []
    var isTearingDown = false
    var tearDownWaiters: [CheckedContinuation<Void, Never>] = []
    var hasCheckedScheduling = false
    /// A client keeps itself alive until it is closed: the loop's callbacks lead here.
    var selfReference: BusClient?

    struct LinkKey: Hashable {
        var output: UInt32
        var input: UInt32
    }

    init(
        appID: String, name: String, iconName: String?, allowsConnectionsToSelf: Bool, isOneAppAcrossProcesses: Bool,
        remote: String?, loop: PipeWireLoop, recorder: CallRecorder?
    ) {
        self.appID = appID
        self.name = name
        self.iconName = iconName
        self.allowsConnectionsToSelf = allowsConnectionsToSelf
        self.isOneAppAcrossProcesses = isOneAppAcrossProcesses
        self.remote = remote
        self.loop = loop
        self.recorder = recorder
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
            let client = BusClient(
                appID: id, name: name, iconName: iconName, allowsConnectionsToSelf: allowsConnectionsToSelf,
                isOneAppAcrossProcesses: isOneAppAcrossProcesses, remote: remote, loop: try PipeWireLoop(),
                recorder: recorder)
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
        var properties = [
            ("application.name", name), ("application.id", appID), ("media.category", "Duplex"),
            ("media.role", "Production"),
        ]
        if let iconName { properties.append(("application.icon-name", iconName)) }
        let connection = try PipeWireConnection(loop: loop, properties: properties, remote: remote, recorder: recorder)
        self.connection = connection
        selfReference = self
        connection.onRegistryEvent = { [unowned self] event in
            assumeIsolated { $0.registryChanged(event) }
        }
        connection.onFailure = { [unowned self] error in
            assumeIsolated { $0.connectionFailed(error) }
        }
        try await connection.open(timeout: timeout)
    }

    /// The connection, or why there is none any more.
    func liveConnection() throws -> PipeWireConnection {
        if let ending { throw ending }
        guard let connection else { throw PipeBusError(PipeWireError.closed) }
        return connection
    }

    private func connectionFailed(_ error: PipeWireError) {
        guard ending == nil else { return }
        ending = PipeBusError(error)
        for node in ports {
            node.node.connectionLost(error)
            // Nobody hears it any more, and so nobody plays it.
            node.status.set(PortStatus(rawValue: 0))
            node.endStates()
        }
        for node in unfinished { node.connectionLost(error) }
        if let error = connection?.failure { sharedState?.connectionLost(error) }
        // Libpipewire tells the proxies nothing: whoever waits for a link would wait until the time is up.
        for link in links.values { link.handle(.connectionLost(error)) }
        wakeEveryone(isReasonKnown: !isWorthAsking(error))
        if isWorthAsking(error) { Task { await findReasonForLoss() } }
    }

    private func isWorthAsking(_ error: PipeWireError) -> Bool {
        if case .connectionLost(.unknown) = error { true } else { false }
    }

    /// After the end nobody waits for anything any more.
    ///
    /// - Parameter isReasonKnown: if not, whoever is to be told the reason waits for it.
    func wakeEveryone(isReasonKnown: Bool = true) {
        audioWatch.timer = nil
        changeWaits.resumeAll()
        pauses.resumeAll()
        if isReasonKnown { wakeEndWaiters() }
        graphReaders.finish()
        noticeLog.finish()
        for port in ports { port.streams.sources.finish() }
    }
}
