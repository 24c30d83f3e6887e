// SPDX-License-Identifier: MIT
public import ConnectionGraph

extension BusClient {
    /// What is in the graph now.
    public var graph: GraphSnapshot { session?.model.snapshot ?? lastGraph }

    /// The graph now, and then after every change. Changes that come together make one snapshot.
    public nonisolated var graphUpdates: Updates<GraphSnapshot> {
        Updates { [self] in await graphSnapshots() }
    }

    /// Events that an app may want to show its user. The first reader is given those that came before it, up to 64, and so
    /// is one that comes when nobody reads any more; any other is given those that come from then on. None is coalesced
    /// until 64 are waiting for a reader; then the oldest is dropped.
    public nonisolated var notices: Updates<Notice> {
        Updates { [self] in await noticeStream() }
    }

    private func graphSnapshots() -> AsyncStream<GraphSnapshot> {
        graphReaders.subscribe(first: terminationError == nil && session != nil ? [graph] : [])
    }

    private func noticeStream() -> AsyncStream<Notice> { noticeLog.subscribe() }
}
