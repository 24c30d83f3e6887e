// SPDX-License-Identifier: MIT
import PipeWireClient

/// Passes notices to the app, and keeps the first ones while there is no reader. Confined to the loop.
///
/// Other programs cause most notices, and may cause them as fast as they can. So notices of one kind about one port are limited, and
/// the next one says how many were left out.
final class NoticeLog {
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

    private let readers = Broadcaster<Notice>(capacity: capacity)
    private var unread: [Notice] = []
    /// There are as many as the app's ports have had names, for each kind.
    private var accounts: [Key: Account] = [:]

    /// Whether there was a notice about no port in particular.
    func hasPosted(_ kind: Notice.Kind) -> Bool { accounts[Key(kind: kind, port: nil)] != nil }

    func post(_ notice: Notice) { post(notice, at: .now) }

    func post(_ notice: Notice, at now: ContinuousClock.Instant) {
        let omitted = accounts[Key(kind: notice.kind, port: notice.port), default: Account()].count(at: now)
        guard let omitted else { return }
        let notice = omitted == 0 ? notice : notice.adding("\(omitted) notices like this one were left out before it.")
        guard readers.hasReaders else {
            // Bounded: an app that never reads notices must not grow.
            if unread.count < Self.capacity { unread.append(notice) }
            return
        }
        readers.send(notice)
    }

    func subscribe() -> AsyncStream<Notice> {
        defer { unread = [] }
        return readers.subscribe(first: unread)
    }

    /// Ends all streams. A later stream ends after the notices that are kept. Idempotent.
    func finish() { readers.finish() }
}
