// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class TicketsTests: XCTestCase {
    private let key = ReportKey(isInput: true, port: 3)

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
        let other = ReportKey(isInput: false, port: 3)
        _ = tickets.issue(other)
        XCTAssertFalse(tickets.redeem(ticket, for: other))
        XCTAssertTrue(tickets.redeem(ticket, for: key))
    }

    func testAForgottenReportIsVoid() {
        var reports = WaitingReports()
        let held = reports.held.issue(key)
        reports.forget(key)
        XCTAssertFalse(reports.held.redeem(held, for: key))
    }
}
