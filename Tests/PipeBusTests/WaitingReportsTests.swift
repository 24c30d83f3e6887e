// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class WaitingReportsTests: XCTestCase {
    private let key = ReportKey(isInput: true, port: 3)

    func testANewerReportMakesAnOlderOneVoid() {
        var reports = WaitingReports()
        let first = reports.hold(key)
        let second = reports.hold(key)
        XCTAssertFalse(reports.release(first, of: key))
        XCTAssertTrue(reports.release(second, of: key))
        XCTAssertFalse(reports.release(second, of: key), "it counts once")
    }

    func testWhatIsForgottenDoesNotCount() {
        var reports = WaitingReports()
        let held = reports.hold(key)
        reports.forget(key)
        XCTAssertFalse(reports.release(held, of: key))
        let fall = reports.beginFall(onInput: 3)
        reports.forgetFall(onInput: 3)
        XCTAssertFalse(reports.endFall(fall, onInput: 3))
    }

    func testChannelsDoNotDisturbEachOther() {
        var reports = WaitingReports()
        let held = reports.hold(key)
        _ = reports.hold(ReportKey(isInput: false, port: 3))
        _ = reports.hold(ReportKey(isInput: true, port: 4))
        XCTAssertTrue(reports.release(held, of: key))
        let fall = reports.beginFall(onInput: 0)
        _ = reports.beginFall(onInput: 1)
        XCTAssertTrue(reports.endFall(fall, onInput: 0))
    }
}
