// SPDX-License-Identifier: MIT
import Synchronization

/// The readers of one sequence of values. Each has a buffer of its own, which keeps the newest values.
final class Broadcaster<Element: Sendable>: Sendable {
    private struct Readers {
        var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    // A mutex, because a stream may end on any thread.
    private let readers = Mutex(Readers())
    private let capacity: Int

    /// - Parameter capacity: the number of values buffered for a busy reader. Beyond it the oldest is dropped.
    init(capacity: Int = 1) { self.capacity = capacity }

    var hasReaders: Bool { readers.withLock { !$0.continuations.isEmpty } }

    /// Adds a reader. After ``finish()`` its stream ends behind the first elements.
    ///
    /// - Parameter first: the elements that the reader's stream begins with.
    func subscribe(first: [Element] = []) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(capacity))
        for element in first { continuation.yield(element) }
        let reader: Int? = readers.withLock { readers in
            guard !readers.isFinished else { return nil }
            readers.next += 1
            readers.continuations[readers.next] = continuation
            return readers.next
        }
        guard let reader else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            // The continuation is released outside the lock.
            _ = self?.readers.withLock { $0.continuations.removeValue(forKey: reader) }
        }
        return stream
    }

    func send(_ element: Element) {
        let continuations = readers.withLock { Array($0.continuations.values) }
        for continuation in continuations { continuation.yield(element) }
    }

    /// Ends all streams, later ones included. Idempotent.
    func finish() {
        let continuations = readers.withLock { readers in
            defer { readers = Readers(next: readers.next, isFinished: true) }
            return Array(readers.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }
}
