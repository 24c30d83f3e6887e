// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeWireClient

final class DurationWordsTests: XCTestCase {
    func testTimesAreShortAndTrue() {
        let cases: [(Duration, String)] = [
            (.seconds(10), "10 s"), (.zero, "0 s"), (.milliseconds(1500), "1.5 s"), (.milliseconds(1001), "1.001 s"),
            (.milliseconds(1010), "1.01 s"), (.milliseconds(100), "100 ms"), (.microseconds(20), "20 µs"),
            (.nanoseconds(20), "0 s"), (.seconds(-2), "-2 s"), (.milliseconds(-1500), "-1.5 s"),
            (.milliseconds(-5), "-5 ms"), (.seconds(Int64.max), "\(Int64.max) s"),
            (.seconds(1) + .nanoseconds(1), "1 s"), (.seconds(2) + .microseconds(999_999), "2.999 s"),
        ]
        for (duration, words) in cases { XCTAssertEqual(duration.inWords, words) }
    }
}
