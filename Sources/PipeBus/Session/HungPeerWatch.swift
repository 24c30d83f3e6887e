// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Finds the node that holds up our ports, and disconnects it if it is a direct source of ours. It also finds process
/// blocks of our own that do not return. Confined to the loop.
///
/// Ports are polled only while one is connected. The profiler is bound only while a port gets no cycles although its
/// driver goes on, and while a source that was disconnected is expected back.
final class HungPeerWatch {
    /// The search for the node that holds up our ports.
    private enum Search {
        case none
        /// With the profiler.
        case searching(until: SuspendingClock.Instant, nextPause: Duration)
        /// Nothing was found.
        case pausing(until: SuspendingClock.Instant, nextPause: Duration)
    }

    private static let searchTime: Duration = .seconds(2)
    /// The time that the apps further upstream have to disconnect a node.
    private static let patience: Duration = .milliseconds(1500)
    private static let firstPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(30)

    private let connection: SessionConnection
    private let model: GraphModel
    private let ports: PortTable
    private let handler: HungPeerHandler
    private let recovery: StallRecovery
    private let unwoken: UnwokenPorts
    private let profiler: ProfilerWatch
    private let overload: OverloadWatch
    private let blockWatch: BlockWatch
    private let timer: LoopPoll
    private var held = HeldPortDetector()
    private var lostCycles = LostCyclesDetector()
    /// For each node that holds up a port that loses most of its cycles: the end of its last call before it was late.
    private var suspects: [UInt32: Int64] = [:]
    private var blocks = RunningBlockDetector()
    /// Reports about cycles before this time are out of date: CLOCK_MONOTONIC, in nanoseconds.
    private var ignoredUntil: Int64 = 0
    private var search = Search.none

    init(
        on connection: SessionConnection, _ model: GraphModel, _ ports: PortTable, _ handler: HungPeerHandler,
        _ recovery: StallRecovery, _ profiler: ProfilerWatch, _ overload: OverloadWatch, _ blockWatch: BlockWatch
    ) {
        self.connection = connection
        self.model = model
        self.ports = ports
        self.handler = handler
        self.recovery = recovery
        unwoken = UnwokenPorts(on: connection, ports)
        self.profiler = profiler
        self.overload = overload
        self.blockWatch = blockWatch
        timer = connection.makeLoopPoll()
        timer.onPoll = { [unowned self] in poll() }
        profiler.onNewest = { [weak self] newest, all in self?.take(newest, all) }
    }

    /// Starts to poll if a port is connected. Called after every change that may connect one. Idempotent.
    func update() {
        guard !timer.isRunning, isNeeded else { return }
        timer.start(after: HeldPortDetector.untilCommonMoment(at: MonotonicTime.now.nanoseconds))
    }

    /// Ends all polling, because the connection is lost. Nothing is destroyed.
    func stop() {
        timer.stop()
        recovery.stop()
    }

    func close() {
        stop()
        timer.close()
    }

    private var isNeeded: Bool { connection.isOpen && ports.contains(where: \.isActive) }

    // MARK: Polling

    private func poll() -> Duration? {
        let now = SuspendingClock.now
        let wasSuspended = held.wasSuspended(at: now)
        if wasSuspended { ignoredUntil = Int64(clamping: MonotonicTime.now.nanoseconds) }
        blocks.update(
            Dictionary(uniqueKeysWithValues: ports.map { ($0.id.serial, $0.node.cycleMark) }),
            wasSuspended: wasSuspended)
        // The length of a cycle may have changed.
        for port in ports where port.node.isStreaming { blockWatch.watch(port.watched, limit: port.blockLimit) }
        if blockWatch.takeReports() { overload.update() }
        let samples = samples
        lostCycles.update(samples, at: now, wasSuspended: wasSuspended)
        let next = min(
            held.update(samples, at: now), HeldPortDetector.untilCommonMoment(at: MonotonicTime.now.nanoseconds))
        investigate(at: now)
        // A port whose block does not return is disconnected by the apps downstream.
        let isWaiting = needsProfiler || profiler.isReading(.hungPeers) || handler.isEndExpected
        guard isNeeded || isWaiting || blocks.isAnyRunning else { return nil }
        return blocks.isAnyInside ? min(next, RunningBlockDetector.interval) : next
    }

    private var samples: [UInt64: HeldPortDetector.Sample] {
        let waiting = ports.filter { $0.isActive && $0.links.hasIncoming && $0.node.isStreaming }
        return Dictionary(uniqueKeysWithValues: waiting.map { ($0.id.serial, sample(of: $0)) })
    }

    private func sample(of port: LivePort) -> HeldPortDetector.Sample {
        HeldPortDetector.Sample(
            cycles: port.cycleCount, clock: port.node.clockPosition,
            cycleDuration: port.node.cycleSize?.duration ?? .zero,
            cycleLength: UInt64(max(port.node.cycleSize?.frameCount ?? 0, 0)))
    }

    private func investigate(at now: SuspendingClock.Instant) {
        search = nextSearch(at: now)
        guard needsProfiler != profiler.isReading(.hungPeers) else { return }
        // In a job, because nothing may be destroyed inside the timer's callback.
        connection.later { [weak self] in self?.updateProfiler() }
    }

    private var needsProfiler: Bool {
        if case .searching = search { return true }
        return recovery.needsReports
    }

    private func updateProfiler() { profiler.set(.hungPeers, isReading: needsProfiler) }

    private func nextSearch(at now: SuspendingClock.Instant) -> Search {
        let isAnyHeld = !held.held.isEmpty || !lostCycles.found.isEmpty
        if lostCycles.found.isEmpty { suspects = [:] }
        guard isAnyHeld, !blocks.isAnyRunning else {
            handler.portsRun(at: now)
            return .none
        }
        switch search {
        case .none: return .searching(until: now + Self.searchTime, nextPause: Self.firstPause)
        case .searching(let end, let pause) where now >= end:
            return .pausing(until: now + pause, nextPause: min(pause * 2, Self.longestPause))
        case .pausing(let end, let pause) where now >= end:
            return .searching(until: now + Self.searchTime, nextPause: pause)
        default: return search
        }
    }

    // MARK: Reports

    private func take(_ newest: [ProfilerReport], _ all: [ProfilerReport]) {
        // The reports may have waited while this process did not run. The next poll takes note of that.
        guard connection.isOpen, !held.wasSuspended(at: .now) else { return }
        for report in newest where report.driver.signal > ignoredUntil {
            recovery.reported(report)
            accuse(in: report)
        }
        for report in all where report.driver.signal > ignoredUntil { accuseRepeated(in: report) }
    }

    private func accuse(in report: ProfilerReport) {
        let heldPorts = held.held.compactMap { ports[GraphPort.ID(serial: $0)] }.filter { isStillHeld($0) }
        guard !heldPorts.isEmpty, !blocks.isAnyRunning else { return }
        unwoken.restart(heldPorts.filter(isHeldForLong), in: report)
        let nodes = report.culprits(holdingUp: Set(heldPorts.map(\.nodeID)), own: ownNodes)
        let waiting = waitingNodes(in: report)
        for node in nodes where !isStarting(node, holdingUp: heldPorts) {
            guard let serial = model.reducer.serial(ofNode: node.id) else { continue }
            let culprit = GraphPort.ID(serial: serial)
            let isDirect = handler.handle(culprit, node: node.id, at: report.driver.signal)
            let isOfDirectApp = disconnectVictims(of: culprit, in: report, heldPorts, waiting: waiting)
            if !isDirect, !isOfDirectApp { handler.reportUpstream(culprit, heldPorts, waiting: waiting) }
        }
    }

    /// The nodes of our ports, and the taps of our filters, which wait for what those wait for.
    private var ownNodes: Set<UInt32> { model.reducer.ownTaps.union(ports.map(\.nodeID)) }

    private func waitingNodes(in report: ProfilerReport) -> Set<GraphPort.ID> {
        let waiting = report.followers.filter { $0.status == .waiting }
        return Set(waiting.compactMap { model.reducer.serial(ofNode: $0.id) }.map { GraphPort.ID(serial: $0) })
    }

    /// Disconnects sources that wait for a node further upstream. Their apps have some time to disconnect it instead, unless it
    /// is their own: they may be stopped, or know nothing of PipeBus.
    ///
    /// - Returns: whether one of them is of the app that hangs. Then the notice about it has said all: no app further upstream is to
    ///   act.
    private func disconnectVictims(
        of culprit: GraphPort.ID, in report: ProfilerReport, _ heldPorts: [LivePort], waiting: Set<GraphPort.ID>
    ) -> Bool {
        var isOfDirectApp = false
        let now = SuspendingClock.now
        let heldForLong = heldPorts.filter { held.duration(of: $0.id.serial, at: now) >= Self.patience }
        let own = ownNodes
        for node in report.followers where node.status == .waiting && !own.contains(node.id) {
            guard let serial = model.reducer.serial(ofNode: node.id) else { continue }
            let victim = GraphPort.ID(serial: serial)
            let isOfOneApp = areOfOneApp(victim, culprit)
            let disconnecting = isOfOneApp ? heldPorts : heldForLong
            guard !disconnecting.isEmpty else { continue }
            let isDisconnected = handler.handle(
                victim: victim, of: culprit, node: node.id, holdingUp: disconnecting, waiting: waiting,
                at: report.driver.signal)
            if isDisconnected, isOfOneApp { isOfDirectApp = true }
        }
        return isOfDirectApp
    }

    private func areOfOneApp(_ one: GraphPort.ID, _ other: GraphPort.ID) -> Bool {
        guard let peer = model.snapshot.port(one)?.peer else { return false }
        return model.snapshot.port(other)?.peer == peer
    }

    /// Looks for a node that hangs for a moment again and again, never so long that a port counts as held up. It is caught twice.
    private func accuseRepeated(in report: ProfilerReport) {
        let lossy = lostCycles.found.compactMap { ports[GraphPort.ID(serial: $0)] }
        guard !lossy.isEmpty, !blocks.isAnyRunning else { return }
        let nodes = report.culprits(
            holdingUp: Set(lossy.map(\.nodeID)), own: ownNodes, for: ProfilerReport.repeatedHangTime)
        var culprits: [(id: GraphPort.ID, node: UInt32)] = []
        for node in nodes {
            guard let finish = suspects.updateValue(node.finish, forKey: node.id), finish != node.finish,
                let serial = model.reducer.serial(ofNode: node.id)
            else { continue }
            culprits.append((GraphPort.ID(serial: serial), node.id))
        }
        guard !culprits.isEmpty else { return }
        let isAnyDirect = culprits.contains {
            handler.handle($0.id, node: $0.node, at: report.driver.signal, isRepeated: true)
        }
        if !isAnyDirect {
            let waiting = waitingNodes(in: report)
            for culprit in culprits { handler.reportUpstream(culprit.id, lossy, waiting: waiting) }
        }
        lostCycles.startAgain()
        suspects = [:]
    }

    /// Whether a node has not finished a cycle since it was linked to the ports, and may only be slow to start. Links of others say
    /// nothing about it: a program that makes links again and again must not protect a source that hangs.
    private func isStarting(_ node: ProfilerReport.Node, holdingUp heldPorts: [LivePort]) -> Bool {
        let now = SuspendingClock.now
        let serial = model.reducer.serial(ofNode: node.id)
        if let serial, recovery.hangs(serial) { return false }
        return heldPorts.allSatisfy { port in
            Int64(clamping: port.links.lastLinkTime(from: serial).nanoseconds) > node.finish
                && held.duration(of: port.id.serial, at: now) < HeldPortDetector.startLimit
        }
    }

    private func isHeldForLong(_ port: LivePort) -> Bool {
        held.duration(of: port.id.serial, at: .now) >= UnwokenPorts.limit
    }

    /// Whether a port has run no cycle since the last poll.
    private func isStillHeld(_ port: LivePort) -> Bool { held.isHeld(port.id.serial, cycles: port.cycleCount) }
}
