// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class OverloadDetectorTests: XCTestCase {
    private typealias Sample = OverloadDetector.Sample

    private var detector = OverloadDetector()
    private var now = SuspendingClock.now
    private var sample = Sample(cycles: 0, overruns: 0)

    override func setUp() async throws {
        detector = OverloadDetector()
        sample = Sample(cycles: 100, overruns: 7)
        _ = look(cycles: 0, overruns: 0)
    }

    /// An interval with so many cycles, of which so many took too long.
    private func look(
        cycles: UInt64, overruns: UInt32, isStuck: Bool = false, after pause: Duration = .milliseconds(500)
    ) -> Bool {
        now += pause
        sample.cycles += cycles
        sample.overruns &+= overruns
        sample.isStuck = isStuck
        return !detector.update([5: sample], at: now).isEmpty
    }

    func testACallIsStuckAtOnceAfterATimeWithoutUpdates() {
        now += .seconds(60)
        detector.begin()
        XCTAssertTrue(look(cycles: 0, overruns: 0, isStuck: true))
        detector.begin()
        XCTAssertTrue(look(cycles: 0, overruns: 0, isStuck: true))
    }

    func testAPortIsOverloadedAfterASecondAndNoMoreAfterASecond() {
        let rows: [(cycles: UInt64, overruns: UInt32, isOverloaded: Bool)] = [
            (20, 20, false), (20, 20, true), (20, 20, true),
            // Fine for less than a second.
            (20, 0, true), (20, 20, true), (20, 1, true), (20, 10, false), (20, 0, false),
            // Half of the cycles are not most of them.
            (20, 10, false), (20, 10, false), (20, 10, false), (20, 11, false), (20, 11, true),
            // Nothing runs any more.
            (0, 0, true), (0, 0, false),
        ]
        for (number, row) in rows.enumerated() {
            XCTAssertEqual(look(cycles: row.cycles, overruns: row.overruns), row.isOverloaded, "row \(number)")
        }
    }

    func testALongCycleNowAndThenIsNone() {
        for number in 0..<20 { XCTAssertFalse(look(cycles: 20, overruns: number % 2 == 0 ? 3 : 0)) }
    }

    func testOneCallThatTakesAllOfTheTimeCounts() {
        XCTAssertFalse(look(cycles: 1, overruns: 1))
        XCTAssertTrue(look(cycles: 1, overruns: 1))
    }

    /// The process was stopped inside a callback, which goes on when the process does.
    func testACallbackThatWasStoppedIsGivenTime() {
        XCTAssertFalse(look(cycles: 0, overruns: 0, isStuck: true, after: .seconds(3)))
        XCTAssertFalse(look(cycles: 0, overruns: 0, isStuck: true, after: .milliseconds(20)))
        XCTAssertFalse(look(cycles: 20, overruns: 1))
        XCTAssertFalse(look(cycles: 0, overruns: 0, isStuck: true, after: .seconds(3)))
        XCTAssertTrue(look(cycles: 0, overruns: 0, isStuck: true, after: .seconds(1)), "it does not return")
    }

    func testABlockThatDoesNotReturnIsOverloadedAtOnce() {
        XCTAssertTrue(look(cycles: 3, overruns: 0, isStuck: true, after: .milliseconds(50)))
        XCTAssertTrue(look(cycles: 0, overruns: 0, isStuck: true))
        XCTAssertTrue(look(cycles: 20, overruns: 1))
        XCTAssertFalse(look(cycles: 20, overruns: 0))
    }

    func testTheTimeInWhichThisProcessWasStoppedDoesNotCount() {
        XCTAssertFalse(look(cycles: 20, overruns: 20))
        XCTAssertFalse(look(cycles: 1, overruns: 1, isStuck: true, after: .seconds(20)))
        XCTAssertFalse(look(cycles: 20, overruns: 20))
        XCTAssertTrue(look(cycles: 20, overruns: 20))
    }

    func testTheCountOfOverrunsWrapsAndThatOfCyclesMayStartAgain() {
        sample.overruns = .max - 10
        _ = look(cycles: 0, overruns: 0)
        _ = look(cycles: 0, overruns: 0)
        XCTAssertFalse(look(cycles: 20, overruns: 20))
        sample.cycles = 0
        XCTAssertTrue(look(cycles: 20, overruns: 20))
    }

    func testEachPortIsSeenByItself() {
        for number in 1...4 {
            now += .milliseconds(500)
            let bad = Sample(cycles: UInt64(number), overruns: UInt32(number))
            let good = Sample(cycles: UInt64(number), overruns: 0)
            XCTAssertEqual(detector.update([1: good, 2: bad], at: now), number < 3 ? [] : [2], "update \(number)")
        }
        XCTAssertEqual(detector.update([:], at: now), [])
    }
}
