// SPDX-License-Identifier: MIT
public import ConnectionGraph

extension BusClient {
    /// The present graph. It is empty while there is no connection, and the old one while a daemon that
    /// ended the connection does not answer; after the end of the client it is the last one.
    public var graph: GraphSnapshot { session?.model.snapshot ?? lastGraph }

    /// The present graph, and then the graph after every change. Changes are coalesced.
    public nonisolated var graphUpdates: Updates<GraphSnapshot> {
        Updates { [self] in await graphSnapshots() }
    }

    /// Events that an app may want to show its user. They are not coalesced.
    ///
    /// | when | notices |
    /// | --- | --- |
    /// | no reader exists | the first 64 are kept for the next reader |
    /// | a reader is busy | up to 64 wait for it; beyond that the oldest is dropped |
    /// | another reader begins | it gets only later ones |
    public nonisolated var notices: Updates<Notice> {
        Updates { [self] in await noticeStream() }
    }

    private func graphSnapshots() -> AsyncStream<GraphSnapshot> {
        graphReaders.subscribe(first: termination.error == nil ? [graph] : [])
    }

    private func noticeStream() -> AsyncStream<Notice> { noticeLog.subscribe() }
}
