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

    func testRoundedTimesAreShorter() {
        let cases: [(milliseconds: Int, words: String)] = [
            (0, "0 s"), (140, "100 ms"), (999, "1 s"), (2_149, "2.1 s"), (9_949, "9.9 s"), (9_951, "10 s"),
            (59_600, "60 s"), (119_400, "119 s"), (120_000, "2 min"), (3_600_000, "60 min"), (7_200_000, "2 h"),
            (7_500_000, "2 h 5 min"),
        ]
        for (milliseconds, words) in cases {
            XCTAssertEqual(Duration.milliseconds(milliseconds).roundedInWords, words, "\(milliseconds) ms")
        }
    }
}
