// SPDX-License-Identifier: MIT
import PipeWireClient

extension ProfilerReport {
    /// The node that made this cycle late; `nil` for a cycle that was finished in time. Pure.
    ///
    /// It was signalled, has not finished, and is the one that finished last the longest time ago: versions signal a late
    /// node again, and then others too. If the driver itself was late, no other node had the time of a cycle, and the driver
    /// is the late one.
    var lateNode: Node? {
        let late =
            followers.filter {
                ($0.status == .signalled || $0.status == .running) && !$0.isAsync && $0.signal > 0 && $0.id != driver.id
            }
            .min { ($0.finish, $0.id) < ($1.finish, $1.id) }
        return late == nil || !isDriverLate ? late : driver
    }

    /// The report without some of the nodes that the driver drives.
    ///
    /// - Parameter isIgnored: takes a global id.
    func without(_ isIgnored: (UInt32) -> Bool) -> ProfilerReport {
        guard followers.contains(where: { isIgnored($0.id) }) else { return self }
        var rest = self
        rest.followers.removeAll { isIgnored($0.id) }
        return rest
    }

    /// The same if it delays some of these nodes, or is one of them.
    func lateNode(delaying nodes: Set<UInt32>) -> Node? {
        let isAnyLate = followers.contains { nodes.contains($0.id) && $0.isLate }
        return isAnyLate ? lateNode : nil
    }

    /// Whether the driver began a cycle a whole cycle too late, or hastened to make up for it: as a daemon does that was
    /// stopped, whose driver makes up for all cycles of that time within milliseconds.
    private var isDriverLate: Bool {
        guard let clock, clock.sampleRate > 0, (1...65_536).contains(clock.duration) else { return false }
        let period = clock.duration * 1_000_000_000 / Int64(clock.sampleRate)
        // Of a cycle that was not finished, versions report one time or another.
        let now = followers.reduce(max(driver.signal, driver.finish)) { max($0, $1.signal) }
        let (lateness, isFar) = now.subtractingReportingOverflow(clock.nanoseconds)
        let (given, isLong) = now.subtractingReportingOverflow(driver.previousSignal)
        return !isFar && clock.nanoseconds > 0 && lateness >= period
            || !isLong && driver.previousSignal > 0 && given < period / 2
    }
}

extension ProfilerReport.Node {
    /// Whether the node has not finished the cycle, by its own fault or another's.
    var isLate: Bool { !isAsync && (status == .waiting || status == .signalled || status == .running) }
}
