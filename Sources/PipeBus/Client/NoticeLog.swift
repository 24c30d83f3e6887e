// SPDX-License-Identifier: MIT
import PipeWireClient
import Synchronization

/// Passes notices to the app, and keeps the first ones while there is no reader. From any thread: the loop may be held up itself.
///
/// Other programs cause most notices, and may cause them as fast as they can. So notices of one kind about one port are limited, and
/// the next one says how many were left out.
final class NoticeLog: Sendable {
    private static let capacity = 64

    private struct Key: Hashable {
        var kind: Notice.Kind
        var port: String?
    }

    private struct Account {
        var limit = RateLimit(burst: capacity, perSecond: 0.2)
        /// The number of notices that were left out since the last one.
        var omitted = 0

        /// Counts a notice.
        ///
        /// - Returns: the number of those that were left out before it; `nil` if this one is left out.
        mutating func count(at now: ContinuousClock.Instant) -> Int? {
            guard limit.allows(at: now) else {
                omitted += 1
                return nil
            }
            defer { omitted = 0 }
            return omitted
        }
    }

    private struct Present {
        var unread: [Notice] = []
        /// There are as many as the app's ports have had names, for each kind.
        var accounts: [Key: Account] = [:]
    }

    private let readers = Broadcaster<Notice>(capacity: capacity)
    private let present = Mutex(Present())

    /// Whether there was a notice about no port in particular.
    func hasPosted(_ kind: Notice.Kind) -> Bool {
        present.withLock { $0.accounts[Key(kind: kind, port: nil)] != nil }
    }

    func post(_ notice: Notice) { post(notice, at: .now) }

    func post(_ notice: Notice, at now: ContinuousClock.Instant) {
        present.withLock { present in
            let key = Key(kind: notice.kind, port: notice.port)
            guard let omitted = present.accounts[key, default: Account()].count(at: now) else { return }
            let notice =
                omitted == 0 ? notice : notice.adding("\(omitted) notices like this one were left out before it.")
            guard !readers.hasReaders else { return readers.send(notice) }
            // Bounded: an app that never reads notices must not grow.
            if present.unread.count < Self.capacity { present.unread.append(notice) }
        }
    }

    func subscribe() -> AsyncStream<Notice> {
        present.withLock { present in
            defer { present.unread = [] }
            return readers.subscribe(first: present.unread)
        }
    }

    /// Ends all streams. A later stream ends after the notices that are kept. Idempotent.
    func finish() { readers.finish() }
}
