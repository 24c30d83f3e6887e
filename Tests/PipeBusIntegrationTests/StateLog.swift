// SPDX-License-Identifier: MIT
import PipeBus
import Synchronization

/// The states of a client, from the present one on.
final class StateLog: Sendable {
    private let kept = Mutex<[BusClient.State]>([])

    init(_ bus: BusClient) {
        let updates = bus.stateUpdates
        Task { [self] in
            for await state in updates { kept.withLock { $0.append(state) } }
        }
    }

    var all: [BusClient.State] { kept.withLock { $0 } }
    /// The kind of each state's reason, or "running".
    var kinds: [String] { all.map { $0.reason?.kind.rawValue ?? "running" } }
    var messages: [String] { all.compactMap(\.reason?.message) }
}
