// SPDX-License-Identifier: MIT
import Synchronization

/// The present state of a client, for any thread, and the readers of its changes.
///
/// It is that of the connection. While the connection is fine, the system may sleep, the daemon may not answer, the graph may stand
/// still, or a port may be overloaded. Calls go by the connection alone: the graph answers them in each case.
final class StatePublisher: Sendable {
    private struct Present {
        var connection = BusClient.State.connecting
        /// The reason why the graph stands still; `nil` while it does not.
        var standstill: StateReason?
        /// The reason why the daemon does not answer; `nil` while it does, or nobody asks.
        var silence: StateReason?
        /// The port that is overloaded, in a reason; `nil` while none is.
        var overload: StateReason?
        /// Why nothing of this process runs; `nil` while it does.
        var suspension: StateReason?

        var state: BusClient.State {
            guard connection == .running, let reason = suspension ?? silence ?? standstill ?? overload else {
                return connection
            }
            return .interrupted(reason)
        }
    }

    private let present = Mutex(Present())
    /// A short interruption must not be lost for a reader that is busy.
    private let readers = Broadcaster<BusClient.State>(capacity: 16)

    var state: BusClient.State { present.withLock { $0.state } }

    /// Publishes a state of the connection, unless it is the present one. The state of a closed client is its last.
    func publish(_ connection: BusClient.State) {
        change { present in
            if case .closed = present.connection { return }
            present.connection = connection
            // The next graph is another one.
            if connection != .running { (present.silence, present.standstill, present.overload) = (nil, nil, nil) }
        }
    }

    /// Publishes that the graph stands still, or that it does not.
    func publishStandstill(_ reason: StateReason?) { change { $0.standstill = reason } }

    /// Publishes that the daemon does not answer, or that it does.
    func publishSilence(_ reason: StateReason?) { change { $0.silence = reason } }

    /// Publishes that a port of the app is overloaded, or that none is.
    func publishOverload(_ reason: StateReason?) { change { $0.overload = reason } }

    /// Publishes that the system sleeps or that this process was stopped, or that it runs.
    func publishSuspension(_ reason: StateReason?) { change { $0.suspension = reason } }

    private func change(_ body: (inout Present) -> Void) {
        present.withLock { present in
            let last = present.state
            body(&present)
            guard present.state != last else { return }
            // Under the lock, so that a new reader gets each state once.
            readers.send(present.state)
            if case .closed = present.state { readers.finish() }
        }
    }

    /// The present state, and then each state after it.
    func subscribe() -> AsyncStream<BusClient.State> { present.withLock { readers.subscribe(first: [$0.state]) } }
}
