// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// A receiver whose node is made again within a cycle, so that for the port no time has passed.
final class NodeMadeAgainTests: XCTestCase {
    private func ones(_ lane: Int, _ channel: Int) -> [Float]? { Array(repeating: 1, count: 256) }

    /// The block is given the sources of the present node alone: no lane of one that is not connected to it yet.
    func testNoSourceOfTheLastNodeIsLeft() throws {
        for latency in [0, 2000] {
            let rig = ReceiverRig(lanes: 3, width: 1, isSeparate: true)
            rig.link(0, source: 1)
            rig.link(1, source: 2, latency: latency...latency)
            for _ in 0..<8 { _ = rig.run(256) { lane, channel in lane < 2 ? ones(lane, channel) : nil } }
            rig.makeNodeAgain()
            rig.link(2, source: 3)
            for cycle in 0..<20 {
                let seen = try XCTUnwrap(rig.run(256) { lane, channel in lane == 2 ? ones(lane, channel) : nil })
                XCTAssertEqual(Array(seen.lanes.keys), [2], "latency \(latency), cycle \(cycle)")
            }
        }
    }

    /// A source that is connected later has nothing of the sound before it on its lane.
    func testTheNextSourceOnTheLaneStartsAnew() throws {
        let rig = ReceiverRig(lanes: 2, width: 1, isSeparate: true)
        rig.link(0, source: 1)
        rig.link(1, source: 2, latency: 2000...2000)
        // Lane 0 is delayed by 2000 frames, and holds that many.
        for _ in 0..<16 { _ = rig.run(256, ones) }
        rig.makeNodeAgain()
        rig.link(1, source: 3)
        _ = rig.run(256) { lane, _ in lane == 1 ? Array(repeating: 0.5, count: 256) : nil }
        rig.link(0, source: 4)
        for _ in 0..<20 {
            let seen = try XCTUnwrap(rig.run(256) { lane, _ in Array(repeating: lane == 0 ? 0 : 0.5, count: 256) })
            XCTAssertEqual(seen.lanes[0]?.source.channelCount, 1)
            XCTAssertEqual(seen.lanes[0]?.channels[0].max(), 0)
        }
    }
}
