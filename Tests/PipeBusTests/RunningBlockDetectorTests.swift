// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class RunningBlockDetectorTests: XCTestCase {
    private var detector = RunningBlockDetector()

    override func setUp() async throws { detector = RunningBlockDetector() }

    /// - Returns: at which of the polls a block was running, from 1 on.
    private func poll(_ marks: [UInt32], suspendedAt suspended: Set<Int> = []) -> [Int] {
        marks.enumerated().compactMap { index, mark in
            detector.update([1: mark], wasSuspended: suspended.contains(index + 1))
            return detector.isAnyRunning ? index + 1 : nil
        }
    }

    func testACallThatIsMetTwiceIsRunning() {
        XCTAssertEqual(poll([2, 4, 5, 5, 5, 6, 8, 8]), [4, 5])
        XCTAssertFalse(detector.isAnyInside)
        XCTAssertEqual(poll([.max, .max, 0, 0, 1]), [2])
        XCTAssertTrue(detector.isAnyInside)
    }

    func testCallsThatAreMetByChanceAreNot() {
        XCTAssertEqual(poll((0...60).map { 2 * $0 + 1 }), [])
        XCTAssertTrue(detector.isAnyInside)
    }

    /// A stop of the process may hit any block.
    func testATimeInWhichThisProcessDidNotRunCountsForNothing() {
        XCTAssertEqual(poll([5, 5, 5, 5], suspendedAt: [2]), [3, 4])
    }

    func testTheLimitIsTwoCyclesAtLeast() {
        XCTAssertEqual(RunningBlockDetector.limit(ofCycle: .milliseconds(20)), .milliseconds(80))
        XCTAssertEqual(RunningBlockDetector.limit(ofCycle: .milliseconds(170)), .milliseconds(340))
        XCTAssertEqual(RunningBlockDetector.limit(ofCycle: nil), .seconds(1))
    }
}
