// SPDX-License-Identifier: MIT
import PipeWireClient

/// Reports of latency at one port that do not count yet, by channel. A newer report of a channel makes an older one void.
struct WaitingReports {
    /// Which of the reports of a channel it is.
    struct Ticket: Hashable {
        fileprivate let number: Int
    }

    private var count = 0
    /// Inputs on which less latency was reported than before.
    private var falling: [Int: Ticket] = [:]
    /// Reports that may be of this port's own making, or of a link that does not show yet.
    private var held: [ReportKey: Ticket] = [:]
    /// The newest reports for inputs at which a link is leaving.
    private var kept: [ReportKey: FilterNode.LatencyReport] = [:]

    /// A newer report has come, or none counts any more.
    mutating func forget(_ key: ReportKey) {
        held[key] = nil
        kept[key] = nil
    }

    /// A newer report has come for an input, or none counts any more.
    mutating func forgetFall(onInput input: Int) { falling[input] = nil }

    mutating func beginFall(onInput input: Int) -> Ticket {
        let ticket = nextTicket()
        falling[input] = ticket
        return ticket
    }

    /// - Returns: whether it is the newest report still; then it counts from now on.
    mutating func endFall(_ ticket: Ticket, onInput input: Int) -> Bool {
        guard falling[input] == ticket else { return false }
        falling[input] = nil
        return true
    }

    mutating func hold(_ key: ReportKey) -> Ticket {
        let ticket = nextTicket()
        held[key] = ticket
        return ticket
    }

    /// - Returns: whether it is the newest report still.
    mutating func release(_ ticket: Ticket, of key: ReportKey) -> Bool {
        guard held[key] == ticket else { return false }
        held[key] = nil
        return true
    }

    /// The report waits until a link has left its input.
    mutating func keep(_ report: FilterNode.LatencyReport) { kept[ReportKey(report)] = report }

    /// The kept reports for which nothing is leaving any more.
    mutating func takeKept(unless isLeaving: (ReportKey) -> Bool) -> [FilterNode.LatencyReport] {
        let free = kept.filter { !isLeaving($0.key) }
        for key in free.keys { kept[key] = nil }
        return Array(free.values)
    }

    private mutating func nextTicket() -> Ticket {
        count += 1
        return Ticket(number: count)
    }
}
