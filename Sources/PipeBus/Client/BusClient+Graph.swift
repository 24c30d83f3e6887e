// SPDX-License-Identifier: MIT
public import ConnectionGraph

extension BusClient {
    /// The present graph. It is empty while there is no connection, and the old one while a daemon that
    /// ended the connection does not answer; after the end of the client it is the last one.
    public var graph: GraphSnapshot { session?.model.snapshot ?? lastGraph }

    /// The present graph, and then the graph after every change. Changes are coalesced.
    ///
    /// Two graphs in a row may look alike: some events of the daemon change nothing that a graph shows, or take back what others have
    /// done. ``graphChanges`` leaves those out.
    public nonisolated var graphUpdates: Updates<GraphSnapshot> {
        Updates { [self] in await graphSnapshots() }
    }

    /// The changes of the graph: first those that lead from an empty graph to the present one, then those since the last element.
    ///
    /// Changes are coalesced: an app that is busy gets all of them as one. ``GraphSnapshot/applying(_:)`` puts a change into force.
    public nonisolated var graphChanges: Updates<GraphDifference> {
        Updates { [self] in
            var graphs = graphUpdates.makeAsyncIterator()
            var (last, isFirst) = (GraphSnapshot.empty, true)
            return {
                while let graph = await graphs.next() {
                    let difference = graph.difference(from: last)
                    last = graph
                    // An event may change nothing that the graph shows.
                    guard isFirst || !difference.isEmpty else { continue }
                    isFirst = false
                    return difference
                }
                return nil
            }
        }
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

    /// Waits until the graph has everything that the daemon knew of when this was called.
    package func refreshGraph() async throws { try await liveSession().connection.roundTrip() }

    private func graphSnapshots() -> AsyncStream<GraphSnapshot> {
        graphReaders.subscribe(first: termination.error == nil ? [graph] : [])
    }

    private func noticeStream() -> AsyncStream<Notice> { noticeLog.subscribe() }
}
