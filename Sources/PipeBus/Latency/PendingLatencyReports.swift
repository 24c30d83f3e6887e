// SPDX-License-Identifier: MIT
import PipeWireClient

/// Latency reports at one port that are not taken yet, by channel. A newer report on a channel replaces an older one.
/// Confined to the loop.
///
/// | reports | pending until |
/// | --- | --- |
/// | decreases | a delay is over |
/// | unverified reports: the port's own latency, or that of a link which has not appeared yet | a round trip is over |
/// | blocked reports, on inputs with a link that is being removed | the link is removed, or kept |
final class PendingLatencyReports {
    typealias Report = FilterNode.LatencyReport
    typealias Ticket = Tickets<ReportKey>.Ticket

    private var decreases = Tickets<ReportKey>()
    private var unverified = Tickets<ReportKey>()
    private var blocked: [ReportKey: Report] = [:]

    /// Drops the pending reports on a channel, because of a newer report or because its last link is gone. Idempotent.
    func forget(_ key: ReportKey) {
        decreases.cancel(key)
        unverified.cancel(key)
        blocked[key] = nil
    }

    func addDecrease(_ report: Report) -> Ticket { decreases.issue(ReportKey(report)) }

    /// - Returns: whether the report is still the newest.
    func redeem(_ ticket: Ticket, ofDecrease report: Report) -> Bool {
        decreases.redeem(ticket, for: ReportKey(report))
    }

    func addUnverified(_ report: Report) -> Ticket { unverified.issue(ReportKey(report)) }

    /// - Returns: whether the report is still the newest.
    func redeem(_ ticket: Ticket, ofUnverified report: Report) -> Bool {
        unverified.redeem(ticket, for: ReportKey(report))
    }

    func addBlocked(_ report: Report) { blocked[ReportKey(report)] = report }

    /// Removes and returns the blocked reports on inputs without a link that is being removed.
    func takeUnblocked(_ isLeaving: (ReportKey) -> Bool) -> [Report] {
        let unblocked = blocked.filter { !isLeaving($0.key) }
        for key in unblocked.keys { blocked[key] = nil }
        return Array(unblocked.values)
    }
}
