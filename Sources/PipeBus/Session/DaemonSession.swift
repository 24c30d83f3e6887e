// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// One life of the connection to a daemon, with everything that is keyed by global ids or serials.
///
/// Such numbers mean nothing to another daemon, so dropping the session drops all of them. ``Declarations`` outlive it.
/// The session makes its components, passes on the daemon's reports, and ends the components. Each component's state is
/// private. PipeWire's callbacks lead here; see `DaemonSession+Registry`. Confined to the loop.
final class DaemonSession {
    /// The values that a client gives each of its sessions.
    struct Context {
        /// The graph's revisions start after this one, so that they increase across sessions.
        let firstRevision: UInt64
        let app: AppIdentity
        /// The daemon's socket; `nil` for the user's default daemon.
        let remote: String?
        let loop: PipeWireLoop
        let recorder: CallRecorder?
        let declared: Declarations
        let notices: NoticeLog
        let states: StatePublisher
        let clock: ClockPublisher
        let suspensions: SuspensionWatch
        let blockWatch: BlockWatch
        let graphReaders: Broadcaster<GraphSnapshot>
        let jobs: JobQueue
        /// Starts a task that calls ``DaemonSession/repairOrder(_:)``.
        let startRepair: @Sendable (PortOrder.Pair) -> Void
        /// Starts a task that calls ``DaemonSession/restore()``.
        let startRestoring: @Sendable () -> Void
        /// Starts a task that calls ``MonitorKeeper/run()``.
        let startMonitoring: @Sendable () -> Void
        /// Starts a task that calls ``FilterExchanges/run(at:)``.
        let startExchanges: @Sendable (GraphPort.ID) -> Void
    }

    let declared: Declarations
    let notices: NoticeLog
    let graphReaders: Broadcaster<GraphSnapshot>

    // The connection, the graph, and our objects in it.
    let connection: SessionConnection
    let model: GraphModel
    let nodeStates = NodeStates()
    let ports = PortTable()
    let links: LinkTable
    let leaving: LeavingNodes
    let refresh: Refresh
    let requests: PeerRequests
    let owners: OwnerBindings

    // Ports and connections.
    let creationLock = AsyncLock()
    let maker: PortMaker
    let order: OrderKeeper
    let scheduling: SchedulingCheck
    let lanes: LaneKeeper
    let selfConnections: SelfConnectionGuard
    let awaitedApps: AwaitedApps
    let tracker: ConnectionTracker
    let connector: Connector
    let stallRequests: StallRequests
    let foreignConnections: ForeignConnections
    let restorer: ConnectionRestorer
    let bypasses: BypassKeeper
    let filterExchanges: FilterExchanges
    let exchanges: SourceExchanges
    let changer: ConnectionChanger
    let audioWatch: AudioWatch
    let clock: ClockWatch

    // Overload, xruns, and sources that hang.
    let profiler: ProfilerWatch
    let xruns: XrunWatch
    let activity: ActivityWatch
    let stalls: StallKeeper
    let recovery: StallRecovery
    let restoredSources: RestoredSources
    let hungPeers: HungPeerWatch
    let blockWatch: BlockWatch

    // Receivers, their sources and levels.
    let receivers: ReceiverKeeper
    let sources: SourceList
    let levels: LevelKeeper
    let quitRequests: QuitRequests
    let sharing: StateSharing
    let levelSharing: LevelSharing
    let levelRequests: LevelRequests
    let remoteLevels: RemoteLevels
    let triggerSharing: TriggerSharing
    let remoteTriggers: RemoteTriggers
    let dataPublisher: DataPublisher
    let remoteData: RemoteData
    let defaultDevice: DefaultDeviceWatch
    let monitors: MonitorKeeper

    // Latency.
    let ownLatencies: OwnLatencyKeeper
    let reports: LatencyReports
    let channelLatencies: ChannelLatencies
    let corrector: LatencyCorrector

    private(set) var isEnded = false
    let lostPorts = LostPorts()
    let startRestoringTask: @Sendable () -> Void
    /// Called inside PipeWire's callback when the connection is lost.
    var onFailure: ((PipeWireError) -> Void)?

    /// Connects. The session must be ended.
    init(_ context: Context) throws(PipeWireError) {
        declared = context.declared
        notices = context.notices
        graphReaders = context.graphReaders
        startRestoringTask = context.startRestoring
        connection = try SessionConnection(
            to: context.remote, on: context.loop, as: context.app, jobs: context.jobs, recorder: context.recorder)
        model = GraphModel(firstRevision: context.firstRevision, ownGroup: NodeProperties.group(of: context.app))
        links = LinkTable(on: connection)
        leaving = LeavingNodes(on: connection, model)
        refresh = Refresh(context.jobs)
        requests = PeerRequests(to: context.remote, on: context.loop, recorder: context.recorder)
        owners = OwnerBindings(on: connection, model)

        quitRequests = QuitRequests(on: connection, model, ports, requests)
        sharing = StateSharing(on: connection, appID: context.app.id, notices: notices)
        levelSharing = LevelSharing(sharing)
        levels = LevelKeeper(declared, levelSharing, refresh)
        levelRequests = LevelRequests(ports, levels, levelSharing)
        remoteLevels = RemoteLevels(on: connection, model, ports, requests, own: levels)
        triggerSharing = TriggerSharing(model, ports, declared.triggers, sharing)
        remoteTriggers = RemoteTriggers(on: connection, model, requests)
        dataPublisher = DataPublisher(on: connection, declared.data, appID: context.app.id, notices: notices)
        remoteData = RemoteData(on: connection, model, requests)
        sources = SourceList(model, ports)

        ownLatencies = OwnLatencyKeeper(on: connection, model, ports, refresh)
        receivers = ReceiverKeeper(model, declared, ownLatencies, levelSharing, refresh, notices: notices)
        let publisher = LatencyPublisher(on: connection, ports, receivers)
        channelLatencies = ChannelLatencies(on: connection)
        corrector = LatencyCorrector(on: connection, model, ports, publisher, refresh, receivers, channelLatencies)
        reports = LatencyReports(on: connection, ports, publisher, corrector, refresh)

        selfConnections = SelfConnectionGuard(on: connection, model, links, notices: notices)
        lanes = LaneKeeper(
            on: connection, model, ports, links, selfConnections, receivers, reports, corrector, notices: notices)
        awaitedApps = AwaitedApps(on: connection, model)
        tracker = ConnectionTracker(on: connection, model, declared, ports, awaitedApps)
        stalls = StallKeeper(on: connection, model, declared, ports, links, receivers, tracker, awaitedApps, refresh)
        stallRequests = StallRequests(on: connection, model, ports, stalls, requests)
        connector = Connector(
            on: connection, model, ports, links, tracker, stalls, stallRequests,
            UnansweredPauses(on: connection, model, nodeStates))
        defaultDevice = DefaultDeviceWatch(on: connection, requests)
        monitors = MonitorKeeper(
            on: connection, model, declared, ports, connector, defaultDevice, refresh, notices: notices,
            startTask: context.startMonitoring)
        foreignConnections = ForeignConnections(
            on: connection, model, declared, ports, links, tracker, awaitedApps, refresh,
            isEnabled: context.app.restoresForeignConnections)
        restorer = ConnectionRestorer(
            on: connection, model, declared, ports, tracker, connector, notices: notices)
        restoredSources = RestoredSources(model, declared, ports, notices: notices)
        recovery = StallRecovery(on: connection, ports, links, stalls, restoredSources)
        profiler = ProfilerWatch(on: connection)
        xruns = XrunWatch(on: connection, model, declared, ports, profiler)
        activity = ActivityWatch(
            on: connection, model, profiler, channelLatencies, nodeStates, states: context.states)
        let overload = OverloadWatch(ports, states: context.states)
        let handler = HungPeerHandler(model, ports, stalls, recovery, notices: notices)
        blockWatch = context.blockWatch
        hungPeers = HungPeerWatch(
            on: connection, model, ports, handler, recovery, profiler, overload, context.blockWatch)
        bypasses = BypassKeeper(on: connection, model, ports, requests, notices: notices)
        clock = ClockWatch(on: connection, model, declared, ports, publisher: context.clock)
        let settings = GraphSettingsWatch(clock, declared.toldSettings, notices: notices)
        audioWatch = AudioWatch(
            on: connection, model, ports, nodeStates, ownLatencies, settings, refresh, overload, xruns, recovery,
            AddedLatencyWatch(on: connection, ports, ownLatencies, receivers), notices: notices, states: context.states,
            suspensions: context.suspensions)
        order = OrderKeeper(
            on: connection, model, declared, ports, links, notices: notices, startRepair: context.startRepair)
        maker = PortMaker(on: connection, model, declared, ports, leaving, order, app: context.app)
        filterExchanges = FilterExchanges(
            FilterExchange.Parts(
                connection: connection, model: model, ports: ports, links: links,
                taps: InputTapMaker(maker, links, under: creationLock), notices: notices),
            startTask: context.startExchanges)
        exchanges = SourceExchanges(
            on: connection, model, ports, links, levels, filterExchanges, notices: notices)
        changer = ConnectionChanger(
            on: connection, model, connector, ExchangeRequester(on: connection, model, ports, exchanges, requests))
        scheduling = SchedulingCheck(notices: notices)

        // A job, and the start of the shared state, may go on after the session was dropped.
        sharing.add(
            StateSharing.Section(
                prefix: LevelKey.prefix,
                publish: { [weak self] in if let self { for port in ports { levelSharing.publish(port) } } },
                handle: { [weak self] in self?.levelRequests.handle($0, $1) }))
        sharing.add(
            StateSharing.Section(
                prefix: TriggerKey.prefix, publish: { [weak self] in self?.triggerSharing.publish() },
                handle: { [weak self] in self?.triggerSharing.handle($0, $1) }))
        refresh.onDue = { [weak self] in self?.bringUpToDate() }
        stalls.onSourceLost = { [weak self] source in self?.stalledSourceLost(source) }
        links.onLoss = { [weak self] key in self?.linkLost(key) }
        recovery.onAnswer = { [weak self] in self?.restorer.attemptAllAtOnce() }
        selfConnections.onLinkKept = { [weak self] link, port in self?.linkKept(link, at: port) }
        connection.pipeWire.onRegistryEvent = { [unowned self] event in registryChanged(event) }
        connection.pipeWire.onFailure = { [unowned self] error in fail(error) }
    }

    /// Waits until the daemon has reported the whole graph.
    func open(timeout: Duration, silence: Duration?) async throws(PipeWireError) {
        try await connection.pipeWire.open(timeout: timeout, silence: silence)
        clock.begin()
    }

    func repairOrder(_ pair: PortOrder.Pair) async { await order.repair(pair, under: creationLock) }

    // MARK: The end

    /// Fails everything that waits for the daemon, because the connection is lost.
    ///
    /// It is called inside PipeWire's callback, so nothing is destroyed before ``end()``.
    private func fail(_ error: PipeWireError) {
        guard connection.isOpen else { return }
        if case .connectionLost = error { foreignConnections.connectionLost() }
        for port in ports {
            port.node.connectionLost(error)
            // The port has no connection any more.
            port.declared.handle.status.set(PortStatus(rawValue: 0))
        }
        maker.connectionLost(error)
        if let error = connection.pipeWire.failure {
            sharing.connectionLost(error)
            dataPublisher.connectionLost(error)
        }
        links.connectionLost(error)
        audioWatch.stop()
        clock.stop()
        activity.stop()
        hungPeers.stop()
        corrector.close()
        connection.fail(with: error)
        onFailure?(error)
    }

    /// Removes everything from the graph and ends the connection. When the call returns, no process block runs any
    /// more. Idempotent.
    func end() async {
        guard !isEnded else { return }
        isEnded = true
        // What is missing now may be so because its lane is another source's.
        declared.moveToEnd(tracker.pending.map(\.declaration))
        declared.stalls.endSession()
        connection.fail(with: .closed)
        let present = Array(ports)
        ports.removeAll()
        for port in present { remove(port) }
        maker.close()
        remoteData.close()
        remoteTriggers.close()
        requests.close()
        links.close()
        corrector.close()
        audioWatch.close()
        clock.close()
        monitors.close()
        activity.stop()
        hungPeers.close()
        profiler.close()
        await leaving.finish()
        sharing.close()
        dataPublisher.close()
        await connection.close()
        declared.timelines.endSession()
    }
}
