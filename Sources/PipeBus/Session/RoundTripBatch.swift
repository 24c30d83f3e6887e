// SPDX-License-Identifier: MIT

/// Elements that are looked at after a round trip, all those of a moment together. Confined to the loop.
///
/// A client that makes and removes links as fast as it can would cause a round trip for each of them otherwise.
final class RoundTripBatch<Element: Hashable> {
    private let connection: SessionConnection
    private let ready: (Set<Element>) -> Void
    /// Those that wait for the next round trip.
    private var waiting: Set<Element> = []
    private var isUnderWay = false

    /// - Parameter ready: called in a job, after a round trip that began when the elements had been added.
    init(on connection: SessionConnection, ready: @escaping (Set<Element>) -> Void) {
        self.connection = connection
        self.ready = ready
    }

    /// Adds an element, unless the session ends before. Idempotent until it is ready.
    func add(_ element: Element) {
        waiting.insert(element)
        if !isUnderWay { start() }
    }

    private func start() {
        isUnderWay = true
        let batch = waiting
        waiting = []
        connection.afterRoundTrip { [self] in
            isUnderWay = false
            ready(batch)
            if !waiting.isEmpty { start() }
        }
    }
}
