// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class HeldPortDetectorTests: XCTestCase {
    private var detector = HeldPortDetector()
    private var now = SuspendingClock.now
    private var clock: UInt64 = 0

    override func setUp() async throws { detector = HeldPortDetector() }

    /// Polls until a port is held up.
    ///
    /// - Parameters:
    ///   - cycles: the port's cycles at each poll; the last value stays.
    ///   - clock: the driver's progress between two polls; `nil` for no clock.
    /// - Returns: the milliseconds since the first poll; `nil` if it is never held up within four seconds.
    private func poll(
        _ cycles: [UInt64], advancing progress: UInt64? = 2400, cycle: Duration = .milliseconds(20)
    ) -> Int? {
        let start = now
        var index = 0
        while now - start < .seconds(4) {
            let sample = HeldPortDetector.Sample(
                cycles: cycles[min(index, cycles.count - 1)], clock: progress.map { _ in clock }, cycleDuration: cycle)
            let next = detector.update([1: sample], at: now)
            XCTAssertLessThanOrEqual(next, HeldPortDetector.interval)
            if !detector.held.isEmpty { return Int((now - start) / .milliseconds(1)) }
            now += next
            clock += progress ?? 0
            index += 1
        }
        return nil
    }

    func testAPortThatRunsIsNotHeldUp() {
        XCTAssertNil(poll((0...100).map { UInt64($0) }))
    }

    func testAPortThatStopsIsHeldUpAfterItsLimit() {
        // Running until 200 ms.
        XCTAssertEqual(poll([1, 2, 3, 4, 5]), 320)
        XCTAssertTrue(detector.isHeld(1, cycles: 5))
        XCTAssertFalse(detector.isHeld(1, cycles: 6))
        XCTAssertFalse(detector.isHeld(2, cycles: 5))
    }

    func testItIsNotHeldUpAnyMoreWhenItRuns() {
        XCTAssertEqual(poll([1, 2]), 170)
        XCTAssertNil(poll((3...100).map { UInt64($0) }))
    }

    func testLongCyclesTakeLonger() {
        XCTAssertEqual(poll([1, 2], cycle: .milliseconds(170)), 730)
    }

    func testAPortThatHasNotRunYetIsGivenTime() {
        XCTAssertEqual(poll([0]), 1000)
        setUpAgain()
        XCTAssertEqual(poll([7]), 1000)
    }

    func testADriverThatStandsStillHoldsNothingUp() {
        XCTAssertNil(poll([1, 2, 3], advancing: 0))
        XCTAssertNil(poll([3], advancing: nil))
        // It goes on: from then on time counts.
        XCTAssertEqual(poll([3]).map { $0 <= 170 }, true)
    }

    func testADriverThatStopsJustAfterThePortIsNoReason() {
        XCTAssertNil(poll([1, 2, 2], advancing: 2400).flatMap { $0 < 170 ? $0 : nil })
        setUpAgain()
        // The clock moves once more and then no longer.
        for (cycles, position) in [(1, 0), (2, 1024), (2, 2048), (2, 2048), (2, 2048), (2, 2048)] as [(UInt64, UInt64)]
        {
            detector.update(
                [1: .init(cycles: cycles, clock: position, cycleDuration: .milliseconds(20))], at: now)
            now += .milliseconds(50)
        }
        XCTAssertTrue(detector.held.isEmpty)
    }

    func testTheOwnGapCountsForNothing() {
        XCTAssertNil(poll((0...100).map { UInt64($0) }))
        now += .seconds(2)
        XCTAssertTrue(detector.wasSuspended(at: now))
        clock += 96_000
        let start = now
        XCTAssertEqual(poll([100]), 1000, "counted from the end of the gap on")
        XCTAssertGreaterThan(now, start)
    }

    func testPortsAreIndependent() {
        for step in 0...10 as ClosedRange<UInt64> {
            let samples = [1, 2].map { key in
                (
                    UInt64(key),
                    HeldPortDetector.Sample(
                        cycles: key == 1 ? step : min(step, 3), clock: step * 2400, cycleDuration: .milliseconds(20))
                )
            }
            detector.update(Dictionary(uniqueKeysWithValues: samples), at: now)
            now += .milliseconds(50)
        }
        XCTAssertEqual(detector.held, [2])
        detector.update([:], at: now)
        XCTAssertEqual(detector.held, [])
    }

    private func setUpAgain() { detector = HeldPortDetector() }

    func testAllAppsUpdateAtTheSameMoments() {
        let interval = UInt64(HeldPortDetector.interval / .nanoseconds(1))
        for start: UInt64 in [0, 1, interval - 1, interval, 7 * interval + 123_456, 86_400_000_000_000] {
            let delay = HeldPortDetector.untilCommonMoment(at: start)
            XCTAssertGreaterThan(delay, .zero)
            XCTAssertLessThanOrEqual(delay, HeldPortDetector.interval)
            XCTAssertEqual((start + UInt64(delay / .nanoseconds(1))) % interval, 0)
        }
    }
}
