// SPDX-License-Identifier: MIT

/// What became of a receiver's sources since the last time one was told.
///
/// - Thread: any. A value.
public struct SourceChanges: Sendable {
    /// All that are connected now, by lane.
    public let sources: [Source]
    /// Those that were not connected the last time.
    public let connected: [Source]
    /// Those of which something is another: title, latency, level.
    public let changed: [Source]
    /// Those that are not connected any more, as they were last.
    public let disconnected: [Source]

    init(from old: [Source], to new: [Source]) {
        sources = new
        connected = new.filter { source in !old.contains { $0.id == source.id } }
        disconnected = old.filter { source in !new.contains { $0.id == source.id } }
        changed = new.filter { source in old.contains { $0.id == source.id && $0.differs(from: source) } }
    }

    var isEmpty: Bool { connected.isEmpty && changed.isEmpty && disconnected.isEmpty }
}

/// The changes of a receiver's sources: first those that are connected already, then every change. Changes that come
/// together are told together, and a slow reader is told of several as one. Ends when the port or its client is closed.
///
/// - Thread: any.
public struct SourceUpdates: AsyncSequence, Sendable {
    public typealias Element = SourceChanges
    public typealias Failure = Never

    let snapshots: AsyncStream<[Source]>

    public struct AsyncIterator: AsyncIteratorProtocol {
        var snapshots: AsyncStream<[Source]>.Iterator
        var last: [Source]?

        public mutating func next() async -> SourceChanges? {
            while let sources = await snapshots.next(isolation: #isolation) {
                let changes = SourceChanges(from: last ?? [], to: sources)
                defer { last = sources }
                // The first is told even if there is none: then a reader knows that.
                if last == nil || !changes.isEmpty { return changes }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(snapshots: snapshots.makeAsyncIterator())
    }
}
