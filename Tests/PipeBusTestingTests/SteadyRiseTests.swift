// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import XCTest

final class SteadyRiseTests: XCTestCase {
    func testALeakRisesInEachRound() {
        XCTAssertEqual(SteadyRise(of: (0..<12).map { 20_000 + 100 * $0 }).aRound, 100)
        // In every third round only.
        XCTAssertEqual(SteadyRise(of: (0..<12).map { 20_000 + 300 * ($0 / 3) }).aRound, 100)
    }

    func testWhatIsKeptOnceIsNoRise() {
        for step in 0..<20 {
            let values = (0..<20).map { 20_000 + ($0 >= step ? 4000 : 0) }
            XCTAssertEqual(SteadyRise(of: values).aRound, 0, "in round \(step)")
        }
    }

    func testCachesThatFillAtFirstAreNoRise() {
        XCTAssertEqual(SteadyRise(of: (0..<12).map { 20_000 + 1000 * min($0, 3) }).aRound, 0)
    }

    func testPeaksAreNoRise() {
        XCTAssertEqual(SteadyRise(of: (0..<30).map { 20_000 + ($0.isMultiple(of: 3) ? 0 : 50 * $0) }).aRound, 0)
    }

    func testWhatFallsHasNoRise() {
        XCTAssertLessThan(SteadyRise(of: (0..<12).map { 20_000 - 100 * $0 }).aRound, 0)
    }

    func testTooFewRoundsSayNothing() {
        for values in [[], [0], [0, 1000]] { XCTAssertEqual(SteadyRise(of: values).aRound, 0, "\(values)") }
    }
}
