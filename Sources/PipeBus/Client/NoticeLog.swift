// SPDX-License-Identifier: MIT

/// Notices on their way to the app. Those from before anybody reads are kept, up to a number. Lives on the loop.
final class NoticeLog {
    private static let capacity = 64

    private let readers = Broadcaster<Notice>(capacity: capacity)
    private var unread: [Notice] = []

    func post(_ notice: Notice) {
        guard readers.hasReaders else {
            // Bounded: an app that never reads must not grow.
            if unread.count < Self.capacity { unread.append(notice) }
            return
        }
        readers.send(notice)
    }

    func subscribe() -> AsyncStream<Notice> {
        defer { unread = [] }
        return readers.subscribe(first: unread)
    }

    /// Ends all streams, those to come too. What nobody has read can be read still.
    func finish() { readers.finish() }
}
