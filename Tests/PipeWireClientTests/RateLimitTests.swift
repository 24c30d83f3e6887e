// SPDX-License-Identifier: MIT
import PipeWireClient
import XCTest

final class RateLimitTests: XCTestCase {
    func testItAllowsABurstAndThenSoManyASecond() {
        var limit = RateLimit(burst: 5, perSecond: 10)
        let start = ContinuousClock.now
        XCTAssertEqual((0..<20).count { _ in limit.allows(at: start) }, 5)
        XCTAssertFalse(limit.allows(at: start.advanced(by: .milliseconds(50))))
        XCTAssertTrue(limit.allows(at: start.advanced(by: .milliseconds(150))))
        let later = start.advanced(by: .seconds(60))
        XCTAssertEqual((0..<20).count { _ in limit.allows(at: later) }, 5, "no more than the burst")
    }

    func testOverALongTimeItIsTheRate() {
        var limit = RateLimit(burst: 5, perSecond: 10)
        let start = ContinuousClock.now
        let allowed = (0..<10_000).count { limit.allows(at: start.advanced(by: .milliseconds($0))) }
        XCTAssertEqual(Double(allowed), 105, accuracy: 1, "ten seconds, a thousand times a second")
    }
}
