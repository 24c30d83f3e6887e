// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport

/// The tasks that bring what the daemon and the apps report into the store.
struct WatchFeed {
    private let tasks: [Task<Void, Never>]

    /// - Parameter interval: the time between two measurements, and between two requests of the levels.
    init(from bus: BusClient, every interval: Duration, into store: WatchStore) {
        tasks = [
            Task { for await graph in bus.graphUpdates { store.set(graph) } },
            Task { for await activity in bus.activity(every: interval) { store.add(activity, clock: bus.clock) } },
            Task {
                for await state in bus.stateUpdates { store.set(interruption: Self.sentence(for: state)) }
            },
            Task {
                // Other patchbays change them too, and nobody publishes that.
                while !Task.isCancelled {
                    store.set(await ReceiverLevels.all(in: await bus.graph, bus))
                    try? await Task.sleep(for: interval)
                }
            },
        ]
    }

    func cancel() { for task in tasks { task.cancel() } }

    private static func sentence(for state: BusClient.State) -> String? {
        switch state {
        case .interrupted(let reason) where reason.isConnectionLost: "\(reason.message) Waiting for it …"
        case .closed(let reason): reason.message
        default: nil
        }
    }
}
