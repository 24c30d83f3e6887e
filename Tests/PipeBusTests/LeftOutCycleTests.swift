// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// Cycles in which a block is not called: what was sent some cycles ago is never heard again.
final class LeftOutCycleTests: XCTestCase {
    func testWithoutADestinationTheOutputsAreSilent() {
        for fade in [Fade.none, .standard] {
            let rig = FilterRig(inputs: 2, outputs: 2, fade: fade)
            rig.publish(runs: false)
            let (outputs, seen) = rig.run(128) { _ in Array(repeating: 1, count: 128) }
            XCTAssertNil(seen, "the block is not called")
            XCTAssertEqual(outputs, Array(repeating: Array(repeating: 0, count: 128), count: 2))
            rig.publish()
            XCTAssertNotNil(rig.run(128) { _ in Array(repeating: 1, count: 128) }.seen)
        }
    }
}
