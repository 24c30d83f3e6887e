// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization
import ToolSupport

/// Measures the sources on the screen, with a receiver of its own that takes no part in the graph.
///
/// It has a client of its own, whose port is in no other client's graph, the screen's own included.
final class WatchMeters: Sendable {
    /// The largest number of sources at once.
    static let mostSources = 16
    /// The time until a source is tried again that could not be measured.
    private static let patience: Duration = .seconds(10)

    private let remote: String?
    private let store: WatchStore
    private let wanted = Mutex<[GraphPort]>([])
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(at remote: String?, into store: WatchStore) {
        self.remote = remote
        self.store = store
    }

    /// Measures these sources from now on, as many as it can.
    func measure(_ sources: [GraphPort]) { wanted.withLock { $0 = Array(sources.prefix(Self.mostSources)) } }

    /// Begins to measure. Without a daemon that is in vain, and the meters stay empty.
    func start() {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { await self.run() }
        }
    }

    /// Ends all that it has in the graph: a process that is stopped must not hold anything up.
    func stop() async {
        let task = task.withLock { task in
            defer { task = nil }
            return task
        }
        task?.cancel()
        await task?.value
        store.add([], after: 0)
    }

    private func run() async {
        guard
            let bus = try? await BusClient.connect(
                as: "org.pipebus.patchbay.meters", name: "PipeBus patchbay", remote: remote, waitsForDaemon: true
            )
        else { return }
        if let port = try? await bus.meterReceiver("meters", title: "PipeBus meters", lanes: Self.mostSources) {
            await withTaskGroup { group in
                group.addTask { await self.read(port) }
                group.addTask { await self.connect(port, bus) }
            }
        }
        await bus.close()
    }

    private func read(_ port: ReceiverPort) async {
        var last = ContinuousClock.now
        for await readings in port.meters(every: .milliseconds(50)) {
            let now = ContinuousClock.now
            store.add(readings, after: (now - last) / .seconds(1))
            last = now
        }
    }

    /// Connects what is wanted, and disconnects the rest.
    private func connect(_ port: ReceiverPort, _ bus: BusClient) async {
        var failures: [GraphPort.ID: ContinuousClock.Instant] = [:]
        while !Task.isCancelled {
            let wanted = wanted.withLock(\.self)
            failures = failures.filter { .now - $0.value < Self.patience }
            if let sources = try? await port.sources {
                for source in sources where !wanted.contains(where: { $0.id == source.id }) {
                    try? await bus.disconnect(source.id, from: port)
                }
                for source in wanted
                where !sources.contains(where: { $0.id == source.id }) && failures[source.id] == nil {
                    // The rest is tried again at once: the screen may have changed meanwhile.
                    do {
                        try await bus.connect(
                            source.id, to: port, channels: Self.pairing(of: source), timeout: .seconds(1))
                    } catch {
                        failures[source.id] = .now
                    }
                }
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// One link for a mono source, and of more than two channels the first two.
    private static func pairing(of source: GraphPort) -> ChannelPairing {
        let outputs = source.outputs.filter { !$0.isMonitor }
        return switch outputs.isEmpty ? source.outputs.count : outputs.count {
        case 1: .single(input: "1")
        case 2: .matching
        default: .pairs([.init("1", "1"), .init("2", "2")])
        }
    }
}
