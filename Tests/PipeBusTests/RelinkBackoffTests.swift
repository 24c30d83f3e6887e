// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class RelinkBackoffTests: XCTestCase {
    private var backoff = RelinkBackoff()
    private var now = ContinuousClock.now

    func testASourceThatHangsAgainAndAgainWaitsLongerAndLonger() {
        let delays = (0..<9).map { _ in
            now += .seconds(31)
            return backoff.next(for: 1, at: now)
        }
        XCTAssertEqual(delays, [0, 1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
        XCTAssertEqual(backoff.next(for: 2, at: now), .zero)
    }

    func testItIsForgottenAfterAWhile() {
        for _ in 0..<3 { _ = backoff.next(for: 1, at: now) }
        now += .seconds(91)
        XCTAssertEqual(backoff.next(for: 1, at: now), .zero)
    }

    func testAnyNumberOfSourcesIsBounded() {
        for source in 0..<10_000 as Range<UInt64> { XCTAssertEqual(backoff.next(for: source, at: now), .zero) }
    }
}
