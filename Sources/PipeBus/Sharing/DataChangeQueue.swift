// SPDX-License-Identifier: MIT
import Synchronization

/// Brings the changes of an app's data to one reader, on any thread.
final class DataChangeQueue: Sendable {
    private let pending = Mutex(PendingDataChanges())
    /// An element says that there may be changes. One is enough for all that come meanwhile.
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() { (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    func add(_ kind: PublishedDataChange.Kind, _ key: String, _ bytes: [UInt8]?) {
        pending.withLock { $0.add(kind, key, bytes) }
        signal.yield()
    }

    /// Ends the sequence, behind the changes that wait. Idempotent.
    func finish() { signal.finish() }

    /// Called when the reader ends, on any thread.
    func onEnd(_ body: @escaping @Sendable () -> Void) { signal.onTermination = { _ in body() } }

    /// The function that returns the reader's next change; `nil` after the end.
    func makeProducer() -> () async -> PublishedDataChange? {
        var signals = signals.makeAsyncIterator()
        return { [self] in
            while true {
                if let change = pending.withLock({ $0.takeFirst() }) { return change }
                guard await signals.next(isolation: #isolation) != nil else {
                    return pending.withLock { $0.takeFirst() }
                }
            }
        }
    }
}
