// SPDX-License-Identifier: MIT
import XCTest

@testable import track_recorder

/// The time of a recording while nothing is connected.
final class PassedTimeTests: XCTestCase {
    func testTheComputersTimeCountsWhileNothingIsConnected() {
        var passed = PassedTime()
        let start = SuspendingClock.now
        func place(_ end: Int64, _ isConnected: Bool, at seconds: Double) -> Int64 {
            passed.place(after: end, isConnected: isConnected, sampleRate: 48_000, at: start + .seconds(seconds))
        }
        XCTAssertEqual(place(1000, true, at: 0), 1000)
        XCTAssertEqual(place(1000, true, at: 5), 1000, "the graph stands still")
        XCTAssertEqual(place(1000, false, at: 5.5), 1000 + 24_000)
        XCTAssertEqual(place(1000, false, at: 7), 1000 + 96_000)
        // A source comes back, and goes: the graph says what its time is.
        XCTAssertEqual(place(90_000, true, at: 8), 90_000)
        XCTAssertEqual(place(91_000, false, at: 9), 91_000)
        XCTAssertEqual(place(91_000, false, at: 10), 91_000 + 48_000)
    }
}
