// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class StandstillDetectorTests: XCTestCase {
    private var detector = StandstillDetector()
    private var now = SuspendingClock.now
    private var found: [Int] = []

    override func setUp() async throws {
        detector = StandstillDetector()
        found = []
    }

    /// Looks every half second.
    ///
    /// - Returns: at which of the looks a standstill was found, from 1 on.
    private func look(_ looks: [[Int: UInt64]]) -> [Int] {
        looks.enumerated().compactMap { index, counts in
            now += .milliseconds(500)
            return detector.update(counts, at: now) ? index + 1 : nil
        }
    }

    func testAStandstillIsFoundOnceAfterTwoSeconds() {
        XCTAssertEqual(look(Array(repeating: [1: 7, 2: 0], count: 40)), [5])
    }

    func testItIsFoundAgainAfterTheGraphHasMoved() {
        XCTAssertEqual(look(Array(repeating: [1: 7], count: 10)), [5])
        XCTAssertEqual(look([[1: 8]] + Array(repeating: [1: 8], count: 10)), [5])
        XCTAssertEqual(look((9...40).map { [1: $0] }), [])
    }

    func testOnePortThatRunsIsEnough() {
        XCTAssertEqual(look((0...40).map { [1: 7, 2: $0] }), [])
    }

    func testAPortThatIsConnectedMeanwhileDoesNotMove() {
        XCTAssertEqual(look(Array(repeating: [1: 7], count: 4)), [])
        XCTAssertEqual(look(Array(repeating: [1: 7, 2: 0], count: 20)), [1])
        XCTAssertEqual(look(Array(repeating: [2: 0], count: 20)), [])
    }

    /// Each is connected for two looks only.
    func testPortsThatComeAndGoStandForNothing() {
        XCTAssertEqual(look((0...40).map { [$0 / 2: 0, $0 / 2 + 1: 0] }), [])
    }

    func testNothingStandsStillThatIsNotConnected() {
        XCTAssertEqual(look(Array(repeating: [:], count: 20)), [])
        XCTAssertEqual(look(Array(repeating: [1: 0], count: 4)), [])
        XCTAssertEqual(look([[:]]), [])
        XCTAssertEqual(look(Array(repeating: [1: 0], count: 5)), [5], "two seconds from the new connection on")
    }

    func testATimeInWhichTheProcessDidNotRunDoesNotCount() {
        XCTAssertEqual(look(Array(repeating: [1: 7], count: 2)), [])
        now += .milliseconds(900)
        XCTAssertEqual(look(Array(repeating: [1: 7], count: 10)), [3], "two seconds of looks")
    }

    func testAProcessThatWasStoppedItselfKnowsNothing() {
        XCTAssertEqual(look(Array(repeating: [1: 7], count: 4)), [])
        now += .seconds(3600)
        XCTAssertEqual(look(Array(repeating: [1: 7], count: 4)), [])
        XCTAssertEqual(look(Array(repeating: [1: 7], count: 4)), [1])
    }
}
