// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Measures the activity of all nodes with the profiler, while it is read. Confined to the loop.
final class ActivityWatch {
    private struct Reader {
        var account = ActivityAccount()
        /// The account at the last reading that had any cycles. 0.3.65 reports so late that a time may have none.
        var last = ActivityAccount()
        var lastHadCyclesAt = SuspendingClock.now
        /// A reader that does not come back by then has gone.
        var expiry: SuspendingClock.Instant
    }

    /// The time for which a reading without any cycles shows those of the last one.
    private static let memory: Duration = .seconds(3)
    /// The time that a reader may be late.
    private static let lateness: Duration = .seconds(5)

    private let connection: SessionConnection
    private let model: GraphModel
    private let profiler: ProfilerWatch
    private let latencies: ChannelLatencies
    private let nodeStates: NodeStates
    private let silence: SilenceWatch
    private var readers: [Int: Reader] = [:]
    private var isLooking = false
    /// The channels whose latency is bound.
    private var channels: Set<UInt32> = []

    init(
        on connection: SessionConnection, _ model: GraphModel, _ profiler: ProfilerWatch, _ latencies: ChannelLatencies,
        _ nodeStates: NodeStates, states: StatePublisher
    ) {
        self.connection = connection
        self.model = model
        self.profiler = profiler
        self.latencies = latencies
        self.nodeStates = nodeStates
        silence = SilenceWatch(on: connection, states: states)
        profiler.onActivity = { [weak self] reports in self?.take(reports) }
    }

    // MARK: Events

    /// Forgets an object that is gone. Idempotent.
    func forget(_ id: UInt32) {
        channels.remove(id)
        for reader in readers.keys {
            readers[reader]?.account.forget(id)
            readers[reader]?.last.forget(id)
        }
    }

    private func take(_ reports: [ProfilerReport]) {
        // Meters are in no graph, and nobody waits for them: late beside others, one would be taken for the culprit.
        let reports = reports.map { $0.without { model.reducer.isForeignMeter(node: $0) } }
        for reader in readers.keys { for report in reports { readers[reader]?.account.add(report) } }
    }

    /// The connection is lost, or the session ends.
    func stop() { silence.stop() }

    // MARK: Readers

    /// The activity since this reader's last call. The first call begins the measurement.
    func take(by number: Int, every pace: Duration) -> GraphActivity {
        let now = SuspendingClock.now
        let expiry = now + pace + Self.lateness
        var reader = readers[number] ?? Reader(expiry: expiry)
        reader.expiry = expiry
        if reader.account.entries.contains(where: { $0.value.cycles > 0 })
            || now - reader.lastHadCyclesAt > max(Self.memory, pace)
        {
            reader.last = reader.account
            reader.lastHadCyclesAt = now
        }
        reader.account.startAgain()
        readers[number] = reader
        update()
        lookForExpired()
        return activity(of: reader)
    }

    /// Looks for readers that have gone, with one timer for all of them.
    private func lookForExpired() {
        guard !isLooking else { return }
        isLooking = true
        connection.after(Self.lateness) { [weak self] in
            guard let self else { return }
            isLooking = false
            let now = SuspendingClock.now
            readers = readers.filter { $0.value.expiry > now }
            update()
            if !readers.isEmpty { lookForExpired() }
        }
    }

    private func update() {
        guard connection.isOpen else { return }
        if !readers.isEmpty { silence.start { [weak self] in self.map { !$0.readers.isEmpty } ?? false } }
        profiler.set(.activity, isReading: !readers.isEmpty)
        let wanted = readers.isEmpty ? [] : Set(model.snapshot.ports.compactMap(\.outputs.first?.id))
        for channel in channels.subtracting(wanted) { latencies.release(channel) }
        for channel in wanted.subtracting(channels) { latencies.bind(channel) }
        channels = wanted
    }

    // MARK: The table

    private func activity(of reader: Reader) -> GraphActivity {
        let snapshot = model.snapshot
        let entries = reader.last.entries
        let ports = Dictionary(snapshot.ports.map { ($0.nodeID, $0) }) { first, _ in first }
        func title(_ id: UInt32) -> String {
            ports[id]?.shownTitle ?? entries[id].map { Names.shown($0.name) } ?? "a node that is gone"
        }
        // They have no cycles, and so nothing that is measured.
        let disconnected = Set(snapshot.ports.flatMap(\.stalledSources))
        let drivers = Set(entries.values.filter { $0.cycles > 0 }.map(\.driver))
        func node(_ id: UInt32, _ port: GraphPort?) -> NodeActivity {
            let entry = entries[id].flatMap { $0.cycles > 0 || reader.account.isStalled(id) ? $0 : nil }
            let counted = reader.account.entries[id]
            let isStalled = reader.account.isStalled(id) || port.map { disconnected.contains($0.id) } ?? false
            let cycles = Float(max(entry?.cycles ?? 0, 1))
            let isRunning = nodeStates.isRunning(id) || (entry?.cycles ?? 0) > 0
            return NodeActivity(
                port: port?.id, title: title(id), state: isStalled ? .stalled : isRunning ? .running : .idle,
                isDriver: drivers.contains(id), driver: entry.map { title($0.driver) }, cycleLength: entry?.cycleLength,
                sampleRate: entry?.sampleRate,
                load: entry.map { PortLoad(mean: $0.busy / cycles, maximum: $0.maximum) },
                waiting: entry.map { $0.waiting / cycles }, xrunCount: counted?.xrunCount ?? 0,
                culprit: counted?.culprit.map(title), isCulprit: counted?.culprit == id,
                latency: port.flatMap { latency(of: $0, in: snapshot, entry) })
        }
        let others = entries.filter { ports[$0.key] == nil && $0.value.cycles > 0 }.map { node($0.key, nil) }
        let nodes = snapshot.ports.map { node($0.nodeID, $0) } + others.naturallySorted(by: \.title)
        return GraphActivity(isMeasured: profiler.isAvailable, nodes: Self.sorted(nodes))
    }

    /// Each driver before the nodes that it drives, then those that no one drives.
    private static func sorted(_ nodes: [NodeActivity]) -> [NodeActivity] {
        var rest = nodes
        var sorted: [NodeActivity] = []
        for driver in nodes where driver.isDriver {
            let driven = rest.filter { $0 == driver || !$0.isDriver && $0.driver == driver.title }
            rest.removeAll { $0 == driver || !$0.isDriver && $0.driver == driver.title }
            sorted += driven.filter(\.isDriver) + driven.filter { !$0.isDriver }
        }
        return sorted + rest
    }

    private func latency(of port: GraphPort, in snapshot: GraphSnapshot, _ entry: ActivityAccount.Entry?) -> Int? {
        let sources = port.outputs.isEmpty ? snapshot.sources(of: port.id) : [port]
        let ages = sources.compactMap { $0.outputs.first }.compactMap { latencies.age(at: $0.id) }
        return ages.map {
            $0.maximum.inFrames(cycleLength: entry?.cycleLength ?? 0, sampleRate: entry?.sampleRate ?? 0)
        }.max()
    }
}
