// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus
@testable import PipeWireClient

final class TicketsTests: XCTestCase {
    private let key = ReportKey(isInput: true, channel: 3)

    func testANewerTicketMakesAnOlderOneVoid() {
        var tickets = Tickets<ReportKey>()
        let first = tickets.issue(key)
        let second = tickets.issue(key)
        XCTAssertFalse(tickets.redeem(first, for: key))
        XCTAssertTrue(tickets.redeem(second, for: key))
        XCTAssertFalse(tickets.redeem(second, for: key), "it is valid once")
    }

    func testWhatIsCancelledIsVoid() {
        var tickets = Tickets<ReportKey>()
        let ticket = tickets.issue(key)
        tickets.cancel(key)
        XCTAssertFalse(tickets.redeem(ticket, for: key))
    }

    func testKeysDoNotDisturbEachOther() {
        var tickets = Tickets<ReportKey>()
        let ticket = tickets.issue(key)
        let other = ReportKey(isInput: false, channel: 3)
        _ = tickets.issue(other)
        XCTAssertFalse(tickets.redeem(ticket, for: other))
        XCTAssertTrue(tickets.redeem(ticket, for: key))
    }

    func testAForgottenReportIsVoid() {
        let reports = PendingLatencyReports()
        let report = FilterNode.LatencyReport(
            isInput: key.isInput, channel: key.channel, isOutputLatency: key.isInput, latency: nil)
        let tickets = (reports.addUnverified(report), reports.addDecrease(report))
        reports.addBlocked(report)
        reports.forget(key)
        XCTAssertFalse(reports.redeem(tickets.0, ofUnverified: report))
        XCTAssertFalse(reports.redeem(tickets.1, ofDecrease: report))
        XCTAssertEqual(reports.takeUnblocked { _ in false }.count, 0)
    }
}
