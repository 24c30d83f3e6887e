// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class NoDriverDetectorTests: XCTestCase {
    private typealias Sample = NoDriverDetector.Sample

    private var detector = NoDriverDetector()
    private var now = SuspendingClock.now

    override func setUp() async throws { detector = NoDriverDetector() }

    private func look(_ samples: [Int: Sample], after pause: Duration = .milliseconds(500)) -> Set<Int> {
        now += pause
        return detector.update(samples, at: now)
    }

    private func sample(_ cycles: UInt64 = 7, clock: UInt64? = 100, isDue: Bool = true) -> Sample {
        Sample(cycles: cycles, clock: clock, isDue: isDue)
    }

    func testAPortIsFoundAfterTwoSecondsUntilItRuns() {
        for count in 1...5 { XCTAssertEqual(look([1: sample()]), [], "look \(count)") }
        XCTAssertEqual(look([1: sample()]), [1])
        XCTAssertEqual(look([1: sample()]), [1])
        XCTAssertEqual(look([1: sample(8, clock: 101)]), [])
    }

    func testEachPortIsSeenByItself() {
        for count in 0..<10 {
            XCTAssertEqual(look([1: sample(UInt64(count), clock: UInt64(count)), 2: sample()]), count < 5 ? [] : [2])
        }
        XCTAssertEqual(look([:]), [])
    }

    func testADriverThatGoesOnIsNotMissing() {
        for clock in 0..<20 { XCTAssertEqual(look([1: sample(clock: UInt64(clock))]), []) }
    }

    func testAnIdleGraphMissesNoDriver() {
        for _ in 0..<20 { XCTAssertEqual(look([1: sample(isDue: false)]), []) }
        for _ in 0..<20 { XCTAssertEqual(look([1: sample(clock: nil, isDue: false)]), []) }
    }

    func testTheTimeInWhichThisProcessWasStoppedDoesNotCount() {
        for _ in 0..<4 { XCTAssertEqual(look([1: sample()]), []) }
        XCTAssertEqual(look([1: sample()], after: .seconds(10)), [])
        for _ in 0..<3 { XCTAssertEqual(look([1: sample()]), []) }
        XCTAssertEqual(look([1: sample()]), [1])
    }
}
