// SPDX-License-Identifier: MIT
import Synchronization

/// The present state of a client, for any thread, and the readers of its changes.
final class StatePublisher: Sendable {
    private let current = Mutex(BusClient.State.connecting)
    /// A short interruption must not be lost for a reader that is busy.
    private let readers = Broadcaster<BusClient.State>(capacity: 16)

    var state: BusClient.State { current.withLock { $0 } }

    /// Publishes a state, unless it is the present one.
    func publish(_ state: BusClient.State) {
        current.withLock { current in
            guard state != current else { return }
            current = state
            // Under the lock, so that a new reader gets each state once.
            readers.send(state)
            if case .closed = state { readers.finish() }
        }
    }

    /// The present state, and then each state after it.
    func subscribe() -> AsyncStream<BusClient.State> { current.withLock { readers.subscribe(first: [$0]) } }
}
