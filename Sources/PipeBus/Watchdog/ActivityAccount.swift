// SPDX-License-Identifier: MIT
import PipeWireClient

/// Adds up the profiler's reports for one reader. Pure. The reports are of another process: any numbers.
struct ActivityAccount: Sendable {
    /// A node's cycles.
    struct Entry: Sendable, Equatable {
        /// The node's name in the reports: not printable.
        var name: String
        /// The driver's global id.
        var driver: UInt32
        var cycleLength = 0
        var sampleRate = 0
        /// Of the cycles since the last reading.
        var cycles = 0
        var busy: Float = 0
        var waiting: Float = 0
        var maximum: Float = 0
        /// Since the reader began.
        var xrunCount = 0
        /// The position of the last cycle that was not finished in time. The daemon may report such a cycle twice.
        var lastXrun: Int64?
        /// Whether its culprit is known.
        var isLastXrunExplained = false
        /// The end of the last call that was measured.
        var lastFinish: Int64 = 0
        /// The global id of the node whose fault the last xrun was of which that is known. A hang often ends with one of nobody's.
        var culprit: UInt32?
        /// The driver's time when the node did not finish a cycle for the first time, and since; 0 if it has finished.
        var lateSince: Int64 = 0
        /// The end of its last call then.
        var lateFinish: Int64 = 0
        var lastReport: Int64 = 0
    }

    /// The largest number of nodes. A driver has no more than some 90.
    private static let capacity = 4096
    /// The time after which a node that has not finished is stalled, in nanoseconds.
    private static let stallTime: Int64 = 100_000_000
    /// A share is no larger, whatever the times are.
    private static let largest: Float = 1_000_000

    private(set) var entries: [UInt32: Entry] = [:]

    mutating func add(_ report: ProfilerReport) {
        guard let clock = report.clock, clock.sampleRate > 0, (1...65_536).contains(clock.duration) else { return }
        let period = Float(clock.duration) / Float(clock.sampleRate)
        let late = report.lateNode
        for node in report.followers where node.id != report.driver.id {
            guard let index = take(node, of: report, clock) else { continue }
            if node.isLate {
                addXrun(to: index, at: clock.position, culprit: late?.id)
                // The culprit itself, not those that wait for it. One that finishes each cycle, but late, is not stalled.
                if late?.id == node.id {
                    if entries[index]?.lateSince == 0 || entries[index]?.lateFinish != node.finish {
                        entries[index]?.lateSince = report.driver.signal
                        entries[index]?.lateFinish = node.finish
                    }
                }
                measureLate(node, index, period, at: report.driver.signal)
            } else if node.status == .finished {
                entries[index]?.lateSince = 0
                measure(node, index, period)
            }
        }
        if let index = take(report.driver, of: report, clock) { measure(report.driver, index, period, isDriver: true) }
    }

    private mutating func addXrun(to id: UInt32, at position: Int64, culprit: UInt32?) {
        if entries[id]?.lastXrun != position {
            entries[id]?.lastXrun = position
            entries[id]?.xrunCount += 1
            entries[id]?.isLastXrunExplained = false
        }
        // By a second report the culprit has finished, and its victim may look like one.
        guard let culprit, entries[id]?.isLastXrunExplained == false else { return }
        entries[id]?.culprit = culprit
        entries[id]?.isLastXrunExplained = true
    }

    /// Measures a node that has not finished the cycle in time: by its last call, or by the one that runs.
    private mutating func measureLate(_ node: ProfilerReport.Node, _ id: UInt32, _ period: Float, at now: Int64) {
        if node.finish > node.start, node.start > 0 {
            if entries[id]?.lastFinish != node.finish { measure(node, id, period) }
        } else if node.start > 0, node.status != .waiting {
            let share = Self.share(Self.difference(now, node.start), period)
            let maximum = max(entries[id]?.maximum ?? 0, share)
            entries[id]?.maximum = maximum
        }
    }

    /// Whether a node was signalled and has not finished for long.
    func isStalled(_ id: UInt32) -> Bool {
        guard let entry = entries[id], entry.lateSince > 0 else { return false }
        return Self.difference(entry.lastReport, entry.lateSince) >= Self.stallTime
    }

    /// Begins the next time of measurement. Counts of xruns stay.
    mutating func startAgain() {
        for id in entries.keys {
            entries[id]?.cycles = 0
            entries[id]?.busy = 0
            entries[id]?.waiting = 0
            entries[id]?.maximum = 0
        }
    }

    /// Forgets a node that is gone: the daemon may give its id to another one. Idempotent.
    mutating func forget(_ id: UInt32) {
        entries[id] = nil
        for (other, entry) in entries where entry.culprit == id { entries[other]?.culprit = nil }
    }

    private mutating func take(
        _ node: ProfilerReport.Node, of report: ProfilerReport, _ clock: ProfilerReport.Clock
    ) -> UInt32? {
        if entries[node.id] == nil {
            guard entries.count < Self.capacity else { return nil }
            entries[node.id] = Entry(name: node.name, driver: report.driver.id)
        }
        entries[node.id]?.driver = report.driver.id
        entries[node.id]?.cycleLength = Int(clock.duration)
        entries[node.id]?.sampleRate = clock.sampleRate
        entries[node.id]?.lastReport = report.driver.signal
        return node.id
    }

    private mutating func measure(
        _ node: ProfilerReport.Node, _ id: UInt32, _ period: Float, isDriver: Bool = false
    ) {
        // The driver's own callback begins the cycle, and its end is the graph's.
        let begun = isDriver ? node.signal : node.start
        let busy = Self.share(Self.difference(node.finish, begun), period)
        guard var entry = entries[id] else { return }
        entry.cycles += 1
        entry.lastFinish = node.finish
        entry.busy += busy
        entry.waiting += isDriver ? 0 : Self.share(Self.difference(node.start, node.signal), period)
        entry.maximum = max(entry.maximum, busy)
        entries[id] = entry
    }

    private static func difference(_ end: Int64, _ start: Int64) -> Int64 {
        let (difference, overflows) = end.subtractingReportingOverflow(start)
        // A driver or node that has just begun has no times of an earlier cycle.
        return overflows || start == 0 ? 0 : max(difference, 0)
    }

    private static func share(_ nanoseconds: Int64, _ period: Float) -> Float {
        min(Float(nanoseconds) * 1e-9 / period, largest)
    }
}
