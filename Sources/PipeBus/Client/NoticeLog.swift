// SPDX-License-Identifier: MIT

/// Passes notices to the app, and keeps the first ones while there is no reader. Confined to the loop.
final class NoticeLog {
    private static let capacity = 64

    private let readers = Broadcaster<Notice>(capacity: capacity)
    private var unread: [Notice] = []

    func post(_ notice: Notice) {
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
