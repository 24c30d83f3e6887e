// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// A source that is connected and gives nothing in a cycle.
final class MissingSourceTests: XCTestCase {
    func testABlockSeesThatASourceDidNotCome() throws {
        let rig = ReceiverRig(isSeparate: true, fade: .none)
        rig.link(0, source: 1)
        rig.link(1, source: 2, latency: 500...500)
        let sound = [Float](repeating: 0.5, count: 256)
        for round in 0..<8 {
            // The first lane runs long enough to be a steady one in between, and is delayed.
            let isMissing = round == 5
            let seen = try XCTUnwrap(rig.run(256) { lane, _ in lane == 0 && isMissing ? nil : sound })
            XCTAssertEqual(seen.lanes[0]?.source.isMissing, isMissing, "cycle \(round)")
            XCTAssertEqual(seen.lanes[1]?.source.isMissing, false, "cycle \(round)")
        }
        // One channel is enough: the other one may not be linked.
        let half = try XCTUnwrap(rig.run(256) { lane, channel in lane == 0 && channel == 1 ? nil : sound })
        XCTAssertEqual(half.lanes[0]?.source.isMissing, false)
        // A disconnected source is not missing, although its sound still comes out of the delay.
        rig.unlink(0)
        let rest = try XCTUnwrap(rig.run(256) { lane, _ in lane == 0 ? nil : sound })
        XCTAssertEqual(rest.lanes[0]?.source.isConnected, false)
        XCTAssertEqual(rest.lanes[0]?.source.isMissing, false)
    }
}
