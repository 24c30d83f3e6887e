// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Connects sources that hung again when they answer. Confined to the loop.
///
/// A source answers when the daemon reports that its node does not run any more, which it does only after the source's
/// process has answered, or when the profiler reports that the node finishes its cycles, because other links keep it
/// running. No link is requested before: the daemon would make no other link meanwhile, for any program.
final class StallRecovery {
    private enum Phase {
        case hung
        case waiting(until: ContinuousClock.Instant)
        case linking(Making?, deadline: ContinuousClock.Instant)
    }

    /// A link that is being made.
    private struct Making {
        let link: Link
        let port: GraphPort.ID
    }

    private struct Entry {
        let source: GraphPort.ID
        let node: UInt32
        /// CLOCK_MONOTONIC, in nanoseconds.
        let since: Int64
        let delay: Duration
        var ports: [GraphPort.ID]
        var phase = Phase.hung
        /// When it was added, or last seen in the profiler's reports.
        var seenAt = ContinuousClock.now
        /// When the last report came, with or without it.
        var reportedAt: ContinuousClock.Instant?
        /// Whether reports have come without it for so long that it is in none.
        var isAbsent = false
        /// The routes that are made again.
        var done: [GraphPort.ID: Set<StalledSource.Route>] = [:]
    }

    private static let interval: Duration = .milliseconds(5)
    private static let waitInterval: Duration = .milliseconds(50)
    /// The interval while all sources hang: only ends of stalls are noticed.
    private static let hungInterval: Duration = .milliseconds(500)
    /// The time limit of a link, and the delay after it: the source hangs again.
    private static let linkTimeout: Duration = .seconds(10)
    /// The time after which a source that no report has is in none. Its driver reports at least once a second; reports of other
    /// drivers come in between.
    private static let absenceTime: Duration = .seconds(2)
    /// The longest time between reports. A longer one was a pause, of this process or of the computer.
    private static let longestInterval: Duration = .milliseconds(1500)
    /// The time after which the first report is not expected any more.
    private static let reportTimeout: Duration = .seconds(3)

    private let connection: SessionConnection
    private let ports: PortTable
    private let links: LinkTable
    private let stalls: StallKeeper
    private let restored: RestoredSources
    private let timer: PollTimer
    /// Called when a source is to be connected whose port was made again while it hung.
    var onAnswer: (() -> Void)?
    private var entries: [UInt64: Entry] = [:]

    init(
        on connection: SessionConnection, _ ports: PortTable, _ links: LinkTable,
        _ stalls: StallKeeper, _ restored: RestoredSources
    ) {
        self.connection = connection
        self.ports = ports
        self.links = links
        self.stalls = stalls
        self.restored = restored
        timer = connection.makePollTimer()
    }

    /// Waits for a source to answer, and connects it again.
    ///
    /// - Parameters:
    ///   - ports: the ports that it was disconnected from.
    ///   - delay: the time between the answer and the connection.
    func add(_ source: GraphPort.ID, node: UInt32, at ports: [GraphPort.ID], since: Int64, delay: Duration) {
        if case .linking(let making?, _)? = entries[source.serial]?.phase { links.release(making.link) }
        let known = entries[source.serial]
        let others = known?.ports.filter { !ports.contains($0) } ?? []
        entries[source.serial] = Entry(
            source: source, node: node, since: since, delay: max(delay, known?.delay ?? .zero), ports: others + ports)
        timer.start(after: Self.hungInterval) { [unowned self] in poll() }
    }

    func stop() { timer.stop() }

    /// Waits also for a port that has been made again.
    func portMade(_ port: LivePort) {
        for (serial, entry) in entries where stalls.takeUp(entry.source, at: port) {
            entries[serial]?.ports.append(port.id)
        }
    }

    /// Whether a source hangs at present, as far as is known.
    func hangs(_ serial: UInt64) -> Bool { if case .hung? = entries[serial]?.phase { true } else { false } }

    /// A source that hangs at present.
    var hungSource: GraphPort.ID? {
        entries.keys.filter(hangs).min().map { GraphPort.ID(serial: $0) }
    }

    // MARK: Answers

    /// Whether any source is expected in the profiler's reports.
    var needsReports: Bool {
        entries.values.contains { entry in
            guard case .hung = entry.phase, !entry.isAbsent else { return false }
            return entry.reportedAt != nil || .now < entry.seenAt + Self.reportTimeout
        }
    }

    /// Called inside the registry's callback.
    func nodeState(_ node: UInt32, isRunning: Bool) {
        guard !isRunning, let serial = entries.first(where: { $0.value.node == node })?.key else { return }
        connection.later { [weak self] in self?.answered(serial) }
    }

    func reported(_ report: ProfilerReport) {
        let now = ContinuousClock.now
        for (serial, var entry) in entries {
            guard case .hung = entry.phase, report.driver.signal > entry.since else { continue }
            // The first one, or the first after a pause: whether the source is in none is only known from now on.
            if entry.reportedAt.map({ now - $0 > Self.longestInterval }) ?? true { entry.seenAt = now }
            entry.reportedAt = now
            let hasFinished = report.hasFinished(entry.node, since: entry.since)
            if hasFinished != nil { entry.seenAt = now }
            entry.isAbsent = now - entry.seenAt >= Self.absenceTime
            entries[serial] = entry
            if hasFinished == true { answered(serial) }
        }
    }

    private func answered(_ serial: UInt64) {
        guard let entry = entries[serial], case .hung = entry.phase else { return }
        entries[serial]?.phase = .waiting(until: .now.advanced(by: entry.delay))
        timer.stop()
        timer.start(after: Self.interval) { [unowned self] in poll() }
    }

    // MARK: Connecting again

    private func poll() -> Duration? {
        for serial in entries.keys { advance(serial) }
        guard !entries.isEmpty else { return nil }
        var next = Self.hungInterval
        for entry in entries.values {
            switch entry.phase {
            case .hung: break
            case .waiting: next = min(next, Self.waitInterval)
            case .linking: next = min(next, Self.interval)
            }
        }
        return next
    }

    private func advance(_ serial: UInt64) {
        guard var entry = entries[serial] else { return }
        entry.ports.removeAll { ports[$0]?.links.stall(of: serial) == nil }
        if case .linking(let making?, let deadline) = entry.phase, !entry.ports.contains(making.port) {
            // The app has disconnected the source there, and may not have seen the link in the graph yet.
            links.release(making.link)
            entry.phase = .linking(nil, deadline: deadline)
        }
        switch entry.phase {
        case .hung: if entry.ports.isEmpty, stalls.isAwaited(entry.source) { return }
        case .waiting(let end): if .now >= end { entry.phase = .linking(nil, deadline: .now + Self.linkTimeout) }
        case .linking(let making, let deadline):
            if let link = making?.link, !link.isActive, !link.isLost {
                if .now < deadline { break }
                links.release(link)
                entry.done = [:]
                entry.phase = .waiting(until: .now + Self.linkTimeout)
                break
            }
            // A link that another program has removed meanwhile is not made again.
            if let link = making?.link, link.isLost { links.release(link) }
            entry.phase = .linking(makeNext(&entry), deadline: .now + Self.linkTimeout)
        }
        entries[serial] = entry.ports.isEmpty ? nil : entry
    }

    /// Makes the next link of a source. One after the other: newer PipeWire versions mix up buffers otherwise.
    ///
    /// - Returns: `nil` if all links are made.
    private func makeNext(_ entry: inout Entry) -> Making? {
        while let id = entry.ports.first, let port = ports[id], let stall = port.links.stall(of: entry.source.serial) {
            let left = stall.routes.filter { entry.done[id]?.contains($0) != true }
            guard let route = left.first else {
                for lane in Set(stall.routes.map(\.place.lane)) { port.receiver?.endMono(lane: lane) }
                stalls.end(entry.source, at: port)
                if stall.isOfFormerNode { onAnswer?() } else { restored.connected(entry.source, to: port) }
                entry.ports.removeFirst()
                continue
            }
            entry.done[id, default: []].insert(route)
            if let link = make(route, of: stall, at: port) { return Making(link: link, port: id) }
        }
        return nil
    }

    private func make(_ route: StalledSource.Route, of stall: StalledSource, at port: LivePort) -> Link? {
        let lane = route.place.lane
        if stall.linkSummaries[lane]?.outputCount == 1, stall.routes(toLane: lane).count > 1 {
            port.receiver?.beginMono(lane: lane)
        }
        // A link that exists already, or a channel that is gone, is no failure.
        return try? links.make(LinkTable.Key(output: route.output, input: port.channels.input(at: route.place)))
    }
}
