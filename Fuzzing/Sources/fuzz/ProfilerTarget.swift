// SPDX-License-Identifier: MIT
import ConnectionGraph

@testable import PipeBus
@testable import PipeWireClient

/// The profiler's reports, and everything that is decided by them.
func fuzzProfiler(_ input: Input) {
    let reports = ProfilerReport.parse(input.rest)
    check(reports.count <= ProfilerReport.Limits.reports, "\(reports.count) reports")
    var account = ActivityAccount()
    var incidents = XrunIncidents()
    for report in reports {
        check(report.followers.count <= ProfilerReport.Limits.followers, "\(report.followers.count) followers")
        for node in report.followers + [report.driver] { checkName(node.name) }
        if let clock = report.clock { checkName(clock.name) }
        let ids = Set(report.followers.map(\.id))
        checkCulprits(of: report, ids)
        account.add(report)
        incidents.add(.init(title: "a node", isThisApp: false), in: report)
    }
    for entry in account.entries.values {
        check(entry.busy.isFinite && entry.waiting.isFinite && entry.maximum.isFinite, "a share is no number")
        check(entry.busy >= 0 && entry.waiting >= 0, "a share is negative")
        check(entry.cycles <= reports.count * ProfilerReport.Limits.followers, "too many cycles")
    }
    for id in account.entries.keys { _ = account.isStalled(id) }
    account.startAgain()
    for id in Array(account.entries.keys) { account.forget(id) }
    check(account.entries.isEmpty, "a node is kept")
}

private func checkCulprits(of report: ProfilerReport, _ ids: Set<UInt32>) {
    let own = Set(ids.prefix(1))
    for culprit in report.culprits(holdingUp: own, own: own) {
        check(!own.contains(culprit.id), "the app accuses itself of holding itself up")
        check(culprit.id != report.driver.id, "the driver is accused")
    }
    // Unlike a culprit, the driver can be the late node: it is what the whole graph waits for.
    if let late = report.lateNode(delaying: own) {
        check(late.id == report.driver.id || ids.contains(late.id), "a node that is not in the report")
        check(report.lateNode == late, "two late nodes")
    }
    for id in ids { _ = report.hasFinished(id, since: report.driver.signal) }
}

private func checkName(_ name: String) {
    // Each byte that is no UTF-8 may become U+FFFD, of three bytes.
    check(name.utf8.count <= 3 * ProfilerReport.Limits.name, "a name of \(name.utf8.count) bytes")
    checkShowable(Names.shown(name), atMost: 515, "a shown name")
}
