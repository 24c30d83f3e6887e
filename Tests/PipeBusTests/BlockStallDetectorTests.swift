// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class BlockStallDetectorTests: XCTestCase {
    private var detector = BlockStallDetector()
    private var now = SuspendingClock.now

    override func setUp() async throws { detector = BlockStallDetector() }

    /// - Returns: at which of the looks, 50 ms apart, a block was found, from 1 on.
    private func look(_ marks: [UInt32], suspendedAt suspended: Set<Int> = []) -> [Int] {
        marks.enumerated().compactMap { index, mark in
            now += .milliseconds(50)
            let found = detector.update([1: mark], at: now, wasSuspended: suspended.contains(index + 1))
            return found.isEmpty ? nil : index + 1
        }
    }

    func testABlockThatDoesNotReturnIsFoundOnce() {
        XCTAssertEqual(look([2, 4] + Array(repeating: 5, count: 40)), [8])
        XCTAssertTrue(detector.isAnyRunning)
        XCTAssertEqual(look([6, 8, 10]), [])
        XCTAssertFalse(detector.isAnyRunning)
        XCTAssertEqual(look(Array(repeating: 11, count: 40)), [6])
    }

    func testBlocksThatReturnAreLeftAlone() {
        XCTAssertEqual(look((0...60).map { 2 * $0 }), [])
        // Met inside the block each time, by chance.
        XCTAssertEqual(look((0...60).map { 2 * $0 + 1 }), [])
        XCTAssertFalse(detector.isAnyRunning)
        // Not running.
        XCTAssertEqual(look(Array(repeating: 8, count: 40)), [])
    }

    func testTheMarkMayWrapAround() {
        XCTAssertEqual(look([.max - 1] + Array(repeating: .max, count: 3) + [0, 0, 2]), [])
        XCTAssertEqual(look(Array(repeating: .max, count: 7)), [6])
    }

    func testATimeInWhichThisProcessDidNotRunCountsForNothing() {
        XCTAssertEqual(look(Array(repeating: 5, count: 12), suspendedAt: [4]), [9])
        XCTAssertEqual(look(Array(repeating: 5, count: 12), suspendedAt: [4]), [], "reported before")
    }
}
