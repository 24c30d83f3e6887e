// SPDX-License-Identifier: MIT
import XCTest

/// Two or more real threads at the ends of a pair. `Scripts/hammer.sh` runs these tests under ThreadSanitizer, which sees where
/// an order between the threads is missing; the tests themselves see that no frame is lost, changed or out of order.
class HammerTestCase: XCTestCase {
    /// Number of blocks that the audio thread has in each test.
    static let blockCount = 200_000

    /// Runs each function on a thread of its own, and waits for all.
    ///
    /// A function that waits does so with ``Pace/wait(until:)``, so that it ends in any case.
    func hammer(_ pace: Pace, _ threads: (@Sendable () -> Void)..., file: StaticString = #filePath, line: UInt = #line)
    {
        let started = threads.map { HammerThread($0) }
        for thread in started { thread.join() }
        XCTAssertEqual(pace.failures, [], file: file, line: line)
    }
}
