// SPDX-License-Identifier: MIT
import PipeWireClient

extension ProfilerReport {
    /// The time for which a node has not finished before it counts as one that holds up the graph, in nanoseconds.
    static let hangTime: Int64 = 100_000_000
    /// The same for a node that does so again and again.
    static let repeatedHangTime: Int64 = 50_000_000

    /// The nodes that hold up some of our own. Pure.
    ///
    /// Such a node was signalled and has not finished. Its victims wait for a signal. The driver is none: it makes the
    /// report. Nor is a node of our own: then our own thread is late.
    ///
    /// - Parameters:
    ///   - held: our nodes that get no cycles.
    ///   - own: all of our nodes.
    ///   - limit: the time for which it has not finished, in nanoseconds.
    func culprits(holdingUp held: Set<UInt32>, own: Set<UInt32>, for limit: Int64 = hangTime) -> [Node] {
        // A node of ours that was signalled has all of its input: what it waits for is our own thread.
        guard followers.contains(where: { held.contains($0.id) && $0.status == .waiting }) else { return [] }
        return followers.filter { $0.isUnfinished(for: limit) && $0.id != driver.id && !own.contains($0.id) }
    }

    /// The nodes that the daemon has counted as inactive for so long (1.4). One that was signalled may only lack a processor. Pure.
    ///
    /// - Parameter limit: in nanoseconds.
    func unwoken(among nodes: Set<UInt32>, for limit: Int64) -> Set<UInt32> {
        let found = followers.filter { node in
            guard nodes.contains(node.id), node.status == .inactive else { return false }
            let (time, overflows) = driver.signal.subtractingReportingOverflow(node.finish)
            return !overflows && node.finish > 0 && time >= limit
        }
        return Set(found.map(\.id))
    }

    /// Whether a node has finished a cycle since a time, on CLOCK_MONOTONIC; `nil` if the node takes no part.
    func hasFinished(_ id: UInt32, since time: Int64) -> Bool? {
        followers.first { $0.id == id }.map { $0.status == .finished && $0.finish > time }
    }
}

extension ProfilerReport.Node {
    fileprivate func isUnfinished(for limit: Int64) -> Bool {
        guard status == .signalled || status == .running, !isAsync, signal > 0 else { return false }
        // Times of other processes: any values.
        let (time, overflows) = signal.subtractingReportingOverflow(finish)
        return overflows ? finish < 0 : time >= limit
    }
}
