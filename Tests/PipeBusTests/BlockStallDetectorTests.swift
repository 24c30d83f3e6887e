// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class BlockStallDetectorTests: XCTestCase {
    private var detector = BlockStallDetector()
    private var now = SuspendingClock.now

    override func setUp() async throws { detector = BlockStallDetector() }

    /// - Returns: at which of the looks, 20 ms apart, a block was found, from 1 on.
    private func look(
        _ marks: [UInt32], suspendedAt suspended: Set<Int> = [], cycle: Duration? = .milliseconds(20)
    ) -> [Int] {
        marks.enumerated().compactMap { index, mark in
            now += .milliseconds(20)
            let found = detector.update(
                [1: .init(mark: mark, cycleDuration: cycle)], at: now, wasSuspended: suspended.contains(index + 1))
            return found.isEmpty ? nil : index + 1
        }
    }

    func testABlockThatDoesNotReturnIsFoundOnce() {
        XCTAssertEqual(look([2, 4] + Array(repeating: 5, count: 40)), [7])
        XCTAssertTrue(detector.isAnyRunning)
        XCTAssertEqual(look([6, 8, 10]), [])
        XCTAssertFalse(detector.isAnyRunning)
        XCTAssertFalse(detector.isAnyInside)
        XCTAssertEqual(look(Array(repeating: 11, count: 40)), [5])
    }

    func testLongAndUnknownCyclesTakeLonger() {
        XCTAssertEqual(look(Array(repeating: 5, count: 40), cycle: .milliseconds(170)), [18])
        detector = BlockStallDetector()
        XCTAssertEqual(look(Array(repeating: 5, count: 80), cycle: nil), [51])
    }

    func testBlocksThatReturnAreLeftAlone() {
        XCTAssertEqual(look((0...60).map { 2 * $0 }), [])
        // Met inside the block each time, by chance.
        XCTAssertEqual(look((0...60).map { 2 * $0 + 1 }), [])
        XCTAssertFalse(detector.isAnyRunning)
        XCTAssertTrue(detector.isAnyInside)
        // Not running.
        XCTAssertEqual(look(Array(repeating: 8, count: 40)), [])
    }

    func testTheMarkMayWrapAround() {
        XCTAssertEqual(look([.max - 1] + Array(repeating: .max, count: 3) + [0, 0, 2]), [])
        XCTAssertEqual(look(Array(repeating: .max, count: 7)), [5])
    }

    /// A stop of the process may hit any block.
    func testATimeInWhichThisProcessDidNotRunCountsForNothing() {
        for marks in [[5, 5], [7, 9], [9, 10], [9, 9, 10]] as [[UInt32]] {
            detector = BlockStallDetector()
            XCTAssertEqual(look(marks, suspendedAt: [marks.count]), [], "\(marks)")
        }
        detector = BlockStallDetector()
        XCTAssertEqual(look(Array(repeating: 11, count: 12), suspendedAt: [2]), [6], "from the second look on")
    }

    /// The app's own loop is held while libpipewire waits for the audio thread.
    func testABlockThatReturnedMeanwhileIsFoundAfterwards() {
        XCTAssertEqual(look([5, 5, 5, 8], suspendedAt: [4]), [4])
        XCTAssertEqual(look([9, 9, 9, 11], suspendedAt: [4]), [4])
        XCTAssertEqual(look([13, 13, 13, 14]), [])
        // Reported before.
        XCTAssertEqual(look(Array(repeating: 15, count: 10) + [16], suspendedAt: [11]), [5])
    }
}
