// SPDX-License-Identifier: MIT
import ConnectionGraph
import Synchronization

/// The status of a kept routing, for any thread.
final class RoutingPublisher: Sendable {
    private let present: Mutex<RoutingStatus>
    private let readers = Broadcaster<RoutingStatus>()

    init(_ status: RoutingStatus) { present = Mutex(status) }

    var status: RoutingStatus { present.withLock(\.self) }

    /// Publishes a status that is another one. Called on the loop alone.
    func publish(_ status: RoutingStatus) {
        let hasChanged = present.withLock { present in
            defer { present = status }
            return present != status
        }
        if hasChanged { readers.send(status) }
    }

    /// On the loop, so that no status comes between the first one and the later ones.
    func subscribe() -> AsyncStream<RoutingStatus> { readers.subscribe(first: [status]) }

    func finish() { readers.finish() }
}
