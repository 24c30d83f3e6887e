// SPDX-License-Identifier: MIT
import Synchronization

/// The present ``ClockState`` of a client, for any thread, and the readers of its changes.
final class ClockPublisher: Sendable {
    private let present = Mutex<ClockState?>(nil)
    private let readers = Broadcaster<ClockState?>()

    var clock: ClockState? { present.withLock { $0 } }

    /// Publishes a state, unless it is the present one.
    func publish(_ clock: ClockState?) {
        present.withLock { present in
            guard clock != present else { return }
            present = clock
            // Under the lock, so that a new reader gets each state once.
            readers.send(clock)
        }
    }

    /// The present state, and then the newest one after it.
    func subscribe() -> AsyncStream<ClockState?> { present.withLock { readers.subscribe(first: [$0]) } }

    /// Ends all sequences, because the client ends.
    func finish() {
        publish(nil)
        readers.finish()
    }
}
