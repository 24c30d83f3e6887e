// SPDX-License-Identifier: MIT
import PipeWireClient

/// Reports of latency at one port that do not count yet, by channel. A newer report of a channel makes an older one void.
struct WaitingReports {
    /// Inputs on which less latency was reported than before.
    var falling = Tickets<Int>()
    /// Reports that may be of this port's own making, or of a link that does not show yet.
    var held = Tickets<ReportKey>()
    /// The newest reports for inputs at which a link is leaving.
    private var kept: [ReportKey: FilterNode.LatencyReport] = [:]

    /// A newer report has come, or none counts any more.
    mutating func forget(_ key: ReportKey) {
        held.cancel(key)
        kept[key] = nil
    }

    /// The report waits until a link has left its input.
    mutating func keep(_ report: FilterNode.LatencyReport) { kept[ReportKey(report)] = report }

    /// The kept reports for which nothing is leaving any more.
    mutating func takeKept(unless isLeaving: (ReportKey) -> Bool) -> [FilterNode.LatencyReport] {
        let free = kept.filter { !isLeaving($0.key) }
        for key in free.keys { kept[key] = nil }
        return Array(free.values)
    }
}
