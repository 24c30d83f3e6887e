// SPDX-License-Identifier: MIT
import PipeWireClient

extension ProfilerReport {
    /// The node that made this cycle late; `nil` for a cycle that was finished in time. Pure.
    ///
    /// It was signalled, has not finished, and is the one that finished last the longest time ago: versions signal a late
    /// node again, and then others too. The driver is none: it makes the report.
    var lateNode: Node? {
        followers.filter {
            ($0.status == .signalled || $0.status == .running) && !$0.isAsync && $0.signal > 0 && $0.id != driver.id
        }
        .min { ($0.finish, $0.id) < ($1.finish, $1.id) }
    }

    /// The same if it delays some of these nodes, or is one of them.
    func lateNode(delaying nodes: Set<UInt32>) -> Node? {
        let isAnyLate = followers.contains { nodes.contains($0.id) && $0.isLate }
        return isAnyLate ? lateNode : nil
    }
}

extension ProfilerReport.Node {
    /// Whether the node has not finished the cycle, by its own fault or another's.
    var isLate: Bool { !isAsync && (status == .waiting || status == .signalled || status == .running) }
}
