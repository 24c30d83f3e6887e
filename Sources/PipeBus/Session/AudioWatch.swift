// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Polls the audio thread's findings twice a second while a port is connected: the audio thread cannot notify the
/// control side. Confined to the loop.
final class AudioWatch {
    private static let interval = StandstillDetector.interval

    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    private let nodeStates: NodeStates
    private let latencies: OwnLatencyKeeper
    private let addedLatencies: AddedLatencyWatch
    private let settings: GraphSettingsWatch
    private let refresh: Refresh
    private let notices: NoticeLog
    private let timer: PollTimer
    private var standstill = StandstillDetector()
    private let states: StatePublisher
    private let overload: OverloadWatch
    private let xruns: XrunWatch
    private let recovery: StallRecovery
    private var noDriver = NoDriverDetector()
    private let daemon: DaemonProbe
    private let suspensions: SuspensionWatch
    private var played = PlayedFrames()

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ nodeStates: NodeStates,
        _ latencies: OwnLatencyKeeper, _ settings: GraphSettingsWatch, _ refresh: Refresh, _ overload: OverloadWatch,
        _ xruns: XrunWatch, _ recovery: StallRecovery, _ addedLatencies: AddedLatencyWatch, notices: NoticeLog,
        states: StatePublisher,
        suspensions: SuspensionWatch
    ) {
        self.nodeStates = nodeStates
        self.addedLatencies = addedLatencies
        self.overload = overload
        self.xruns = xruns
        self.recovery = recovery
        self.suspensions = suspensions
        self.settings = settings
        self.states = states
        self.connection = connection
        self.model = model
        self.ports = ports
        self.latencies = latencies
        self.refresh = refresh
        self.notices = notices
        timer = connection.makePollTimer()
        daemon = DaemonProbe(on: connection)
    }

    /// Starts to poll if a port is connected. Called after every change that may connect one. Idempotent.
    func update() {
        xruns.begin()
        addedLatencies.update()
        guard !timer.isRunning, isNeeded else { return }
        _ = takePlayed()
        overload.begin()
        suspensions.forget()
        checkStandstill()
        checkDriver()
        timer.start(after: Self.interval) { [unowned self] in poll() }
    }

    func stop() {
        timer.stop()
        addedLatencies.stop()
    }

    /// The session ends: its graph says nothing about the next one.
    func close() {
        stop()
        states.publishStandstill(nil)
        overload.close()
        xruns.close()
        settings.close()
    }

    private var isNeeded: Bool {
        connection.isOpen && (ports.contains(where: \.isActive) || overload.isAnyOverloaded || xruns.isWaiting)
    }

    private func poll() -> Duration? {
        suspensions.check(played: takePlayed())
        for port in ports { if let receiver = port.receiver { poll(receiver, of: port) } }
        checkStandstill()
        checkDriver()
        overload.update()
        xruns.update()
        settings.poll()
        guard !isNeeded else { return Self.interval }
        settings.stop()
        return nil
    }

    private func poll(_ receiver: ReceiverControl, of port: LivePort) {
        if receiver.takeLatencyChange() {
            latencies.updateFollowers(of: port.name)
            refresh.mark(.sourceReaders)
        }
        for (source, identity) in receiver.takeInvalidSources(at: .now) {
            let title = model.title(of: source) ?? identity.map { Names.shown($0.nodeName) }
            notices.post(
                Notice(
                    kind: .invalidSamples, port: port.name, source: source,
                    message:
                        "\(title ?? "A source") gives \(port.title) samples that are no numbers (NaN or infinite) or too large to add up; it is "
                        + "silent where it does. Restart or disconnect that app if it goes on."))
        }
    }

    /// The duration of the sound that the ports have processed since the last call.
    private func takePlayed() -> Duration {
        let progress = played.advance(
            to: Dictionary(uniqueKeysWithValues: ports.map { ($0.declared.place, $0.frameCount) }))
        let seconds = ports.map { port in
            Double(progress[port.declared.place] ?? 0) / Double(max(port.sampleRate, 1))
        }
        return .seconds(seconds.max() ?? 0)
    }

    /// Whether any driver runs.
    private var isDriven: Bool { model.reducer.drivers.contains(where: nodeStates.isRunning) }

    private func checkDriver() {
        let active = ports.filter(\.isActive)
        let (hasDriver, isDriven) = (model.reducer.hasDriver, isDriven)
        let samples = active.map { port in
            let clock = port.node.clockPosition
            // A port that has no driver while one runs waits for something else, such as a source that hangs.
            let isDue = !hasDriver || port.node.isStreaming && (clock != nil || !isDriven)
            return (
                port.declared.place, NoDriverDetector.Sample(cycles: port.cycleCount, clock: clock, isDue: isDue)
            )
        }
        let standing = noDriver.update(Dictionary(uniqueKeysWithValues: samples), at: .now)
        guard let port = active.first(where: { standing.contains($0.declared.place) }) else {
            daemon.reset()
            return states.publishStandstill(nil)
        }
        // A daemon that is stopped drives nothing either.
        let answer = daemon.ask(at: .now) { [weak self] isLate in
            // A daemon that stood has driven nothing. From now on it has as much time as any other.
            if isLate { self?.noDriver = NoDriverDetector() }
            self?.checkDriver()
        }
        switch answer {
        case .pending: break
        case .answers: states.publishStandstill(.noDriver(at: port.title))
        case .silent: states.publishStandstill(.silentDaemon(at: port.title))
        }
    }

    private func checkStandstill() {
        let now = MonotonicTime.now
        // While a block of the app itself does not return, the graph is not to blame.
        let active = ports.contains { $0.isBlockStuck(at: now) } ? [] : ports.filter(\.isActive)
        let counts = Dictionary(uniqueKeysWithValues: active.map { ($0.declared.place, $0.cycleCount) })
        guard standstill.update(counts, at: .now), let port = active.first else { return }
        let (source, hint) = hint(for: active)
        notices.post(
            Notice(
                kind: .graphStandsStill, port: port.name, source: source,
                message: "The graph stands still: no cycle has come for 2 s, though \(port.title) is connected. \(hint)"
            ))
    }

    /// The source that the graph may wait for, and what to do.
    private func hint(for active: [LivePort]) -> (source: GraphPort.ID?, text: String) {
        func title(_ source: GraphPort.ID) -> String { model.title(of: source) ?? "a source" }
        if let source = recovery.hungSource {
            return (
                source,
                "PipeWire waits for \(title(source)), which has stopped answering; end or restart that app."
            )
        }
        if let source = idleSource(of: active) {
            return (
                source, "\(title(source)) does not run, and may have stopped answering; go on with that app, or end it."
            )
        }
        return (nil, "Check the sound device that drives it, and for an app or a daemon that hangs.")
    }

    /// The only source of some ports that does not run although a driver does. Such a one may have hung already when it was
    /// connected.
    private func idleSource(of active: [LivePort]) -> GraphPort.ID? {
        guard isDriven else { return nil }
        let snapshot = model.snapshot
        let sources = Set(
            active.flatMap { port in snapshot.connections.filter { $0.destination == port.id }.map(\.source) })
        let idle = sources.filter { source in snapshot.port(source).map { !nodeStates.isRunning($0.nodeID) } ?? false }
        return idle.count == 1 ? idle.first : nil
    }
}
