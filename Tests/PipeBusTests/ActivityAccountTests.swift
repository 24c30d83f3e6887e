// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus
@testable import PipeWireClient

/// The sums of the profiler's reports.
final class ActivityAccountTests: XCTestCase {
    private func node(
        _ id: UInt32, _ status: ProfilerReport.Status = .finished, signal: Int64 = 0, start: Int64 = 0,
        finish: Int64 = 0
    ) -> ProfilerReport.Node {
        ProfilerReport.Node(
            id: id, name: "n\(id)", previousSignal: 0, signal: signal, start: start, finish: finish, status: status)
    }

    /// A cycle of 20 ms.
    private func report(
        _ followers: [ProfilerReport.Node], at signal: Int64 = 1_000_000_000, duration: Int64 = 960,
        sampleRate: Int = 48_000
    ) -> ProfilerReport {
        ProfilerReport(
            clock: .init(
                id: 1, name: "c", nanoseconds: signal, sampleRate: sampleRate, position: signal, duration: duration,
                delay: 0
            ),
            driver: node(1, signal: signal, start: signal, finish: signal + 10_000_000), followers: followers)
    }

    func testSharesAreThoseOfTheCycle() throws {
        var account = ActivityAccount()
        let base: Int64 = 1_000_000_000
        account.add(report([node(5, signal: base, start: base + 2_000_000, finish: base + 7_000_000)]))
        account.add(report([node(5, signal: base, start: base, finish: base + 15_000_000)]))
        let entry = try XCTUnwrap(account.entries[5])
        XCTAssertEqual(entry.cycles, 2)
        XCTAssertEqual(entry.busy, 1, accuracy: 0.001)
        XCTAssertEqual(entry.waiting, 0.1, accuracy: 0.001)
        XCTAssertEqual(entry.maximum, 0.75, accuracy: 0.001)
        XCTAssertEqual(entry.driver, 1)
        XCTAssertEqual(entry.cycleLength, 960)
        let driver = try XCTUnwrap(account.entries[1])
        XCTAssertEqual(driver.busy, 1, accuracy: 0.001)
        account.startAgain()
        XCTAssertEqual(account.entries[5]?.cycles, 0)
        XCTAssertEqual(account.entries[5]?.busy, 0)
    }

    func testTimesThatANodeDoesNotHaveYetAreNoShares() throws {
        var account = ActivityAccount()
        var first = report([node(5, signal: 0, start: 90_000_000_000, finish: 90_001_000_000)], at: 90_000_000_000)
        first.driver = node(1, signal: 0, finish: 90_000_000_000)
        account.add(first)
        XCTAssertEqual(account.entries[1]?.maximum, 0)
        XCTAssertEqual(account.entries[5]?.waiting, 0)
        XCTAssertEqual(try XCTUnwrap(account.entries[5]).busy, 0.05, accuracy: 0.001)
    }

    /// A meter that is late beside others would be blamed, because it came first.
    func testWhatIsLeftOutOfAReportIsNoCulprit() throws {
        let late = report([node(5, .running, signal: 1, finish: 20), node(6, .running, signal: 1, finish: 10)])
        XCTAssertEqual(late.lateNode?.id, 6)
        var account = ActivityAccount()
        account.add(late.without { $0 == 6 })
        XCTAssertEqual(account.entries[5]?.culprit, 5)
        XCTAssertNil(account.entries[6])
        XCTAssertEqual(late.without { $0 == 7 }, late)
    }

    /// 0.3.65 reports a late cycle again when the culprit has finished and its victim has not.
    func testASecondReportOfACycleBlamesNoVictim() {
        var account = ActivityAccount()
        account.add(report([node(5, .waiting, finish: 9), node(6, .signalled, signal: 1, finish: 3)]))
        let second = report([node(5, .signalled, signal: 20, finish: 9), node(6, signal: 1, finish: 30)])
        account.add(second)
        XCTAssertEqual(account.entries[5]?.xrunCount, 1)
        XCTAssertEqual(account.entries[5]?.culprit, 6)
        // If the first report does not say whose fault it was, the second may.
        let (cycle, cause) = (Int64(2_000_000_000), Int64(3))
        account.add(report([node(5, .waiting, finish: 9), node(6, finish: 30)], at: cycle))
        account.add(report([node(5, .signalled, signal: cycle + cause, finish: 9), node(6, finish: 30)], at: cycle))
        XCTAssertEqual(account.entries[5]?.xrunCount, 2)
        XCTAssertEqual(account.entries[5]?.culprit, 5)
    }

    func testALateCycleCountsForAllThatMissedItWithOneCulprit() {
        var account = ActivityAccount()
        let late = [node(5, .waiting, finish: 9), node(6, .signalled, signal: 1, finish: 3), node(7, finish: 9)]
        for milliseconds in stride(from: Int64(1_000), through: 1_080, by: 20) {
            account.add(report(late, at: milliseconds * 1_000_000))
        }
        XCTAssertEqual(account.entries[5]?.xrunCount, 5)
        XCTAssertEqual(account.entries[6]?.xrunCount, 5)
        XCTAssertEqual(account.entries[7]?.xrunCount, 0)
        XCTAssertEqual(account.entries[5]?.culprit, 6)
        XCTAssertEqual(account.entries[6]?.culprit, 6)
        XCTAssertFalse(account.isStalled(6), "for 80 ms")
        account.add(report(late, at: 1_101_000_000))
        XCTAssertTrue(account.isStalled(6))
        XCTAssertFalse(account.isStalled(5), "it waits")
        account.startAgain()
        XCTAssertEqual(account.entries[5]?.xrunCount, 6)
        account.add(report([node(5, finish: 9), node(6, finish: 9)], at: 1_120_000_000))
        XCTAssertFalse(account.isStalled(6))
        account.forget(6)
        XCTAssertNil(account.entries[6])
        XCTAssertNil(account.entries[5]?.culprit, "another node may get its id")
    }

    /// A callback of 28 ms in cycles of 20 ms: it has never finished in time, but is not stalled.
    /// As at the end of a hang: the node runs again, and one more cycle is not finished.
    func testACycleOfNobodysFaultDoesNotHideTheCulprit() {
        var account = ActivityAccount()
        let base: Int64 = 1_000_000_000
        account.add(
            report([node(5, .waiting), node(6, .signalled, signal: base, start: base - 9, finish: base - 5)], at: base))
        let later = base + 20_000_000
        account.add(report([node(5, .waiting), node(6, signal: later, start: later, finish: later + 5)], at: later))
        XCTAssertEqual(account.entries[5]?.xrunCount, 2)
        XCTAssertEqual(account.entries[5]?.culprit, 6)
    }

    func testANodeThatIsLateInEveryCycleIsMeasured() throws {
        var account = ActivityAccount()
        for cycle in 1...20 {
            let call = Int64(cycle * 28_000_000)
            let running = node(6, .signalled, signal: call + 20_000_000, start: call, finish: call + 28_000_000)
            // The daemon reports a cycle that was not finished, and reports it again.
            for _ in 0..<2 { account.add(report([running], at: call + 40_000_000)) }
        }
        let entry = try XCTUnwrap(account.entries[6])
        XCTAssertEqual(entry.xrunCount, 20)
        XCTAssertEqual(entry.cycles, 20)
        XCTAssertEqual(entry.busy / Float(entry.cycles), 1.4, accuracy: 0.01)
        XCTAssertEqual(entry.maximum, 1.4, accuracy: 0.01)
        XCTAssertFalse(account.isStalled(6))
        // A call that has not returned for two cycles.
        account.add(report([node(6, .running, signal: 1, start: 600_000_000, finish: 5)], at: 640_000_000))
        XCTAssertEqual(try XCTUnwrap(account.entries[6]).maximum, 2, accuracy: 0.01)
    }

    func testAnyNumbersAreRead() {
        var account = ActivityAccount()
        for (start, finish) in [(Int64.min, Int64.max), (.max, .min), (0, .max), (-5, -9)] {
            for duration in [Int64.min, 0, 1, 65_536, .max] {
                account.add(
                    report(
                        [node(5, signal: finish, start: start, finish: finish), node(6, .running, signal: start)],
                        at: start > 0 ? start - 20_000_000 : 0, duration: duration))
            }
        }
        for entry in account.entries.values {
            XCTAssertTrue(entry.busy.isFinite && entry.waiting.isFinite && entry.maximum <= 1_000_000)
        }
        XCTAssertFalse(account.isStalled(77))
        account.add(report([], sampleRate: 0))
        account.add(ProfilerReport(driver: node(1), followers: [node(9)]))
        XCTAssertNil(account.entries[9], "no clock, no shares")
    }

    func testItsSizeIsBounded() {
        var account = ActivityAccount()
        for number in 0..<10 { account.add(report((0..<1000).map { node(UInt32(number * 1000 + $0)) })) }
        XCTAssertEqual(account.entries.count, 4096)
    }
}
