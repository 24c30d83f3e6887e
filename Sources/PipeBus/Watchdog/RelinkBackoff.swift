// SPDX-License-Identifier: MIT

/// The time for which a source that hung must wait before it is connected again: a source that hangs again and again
/// must not click forever. Pure.
struct RelinkBackoff: Sendable {
    private struct Entry {
        var count: Int
        var last: ContinuousClock.Instant
    }

    /// A source that has not hung for so long, and for the longest delay besides, starts from the beginning.
    private static let memory: Duration = .seconds(60)
    private static let longest = 30
    private static let capacity = 256
    /// By the serials of sources.
    private var entries: [UInt64: Entry] = [:]

    /// Takes note that a source hangs.
    ///
    /// - Returns: the delay between its answer and its connection: 0, 1, 2, 4 … 30 seconds.
    mutating func next(for source: UInt64, at now: ContinuousClock.Instant) -> Duration {
        entries = entries.filter { now - $0.value.last < Self.memory + .seconds(Self.longest) }
        if entries.count >= Self.capacity { entries = [:] }
        let count = entries[source]?.count ?? 0
        entries[source] = Entry(count: count + 1, last: now)
        return count == 0 ? .zero : .seconds(min(1 << min(count - 1, 10), Self.longest))
    }
}
