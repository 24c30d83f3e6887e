// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Sources of all latencies click at the same moments; the receiver's job is to say when those were.
final class ClickTests: BusTestCase {
    func testAlignedClicksFallOnTheSameFrame() async throws {
        try await ClickScene.run(.synchronized).assertAligned()
    }

    func testImmediateClicksAreOffByTheirLatencyAndTheirTimestampsSaySo() async throws {
        let scene = try await ClickScene.run(.immediate)
        for latency in ClickScene.honest {
            scene.assertClicks(of: scene.senders[latency]!, heardAfter: latency, saidToBeMadeAfter: 0)
        }
        scene.assertClicks(of: scene.liar, heardAfter: 300, saidToBeMadeAfter: 200)
        scene.assertClicks(of: scene.filter, heardAfter: 480, saidToBeMadeAfter: 0, until: scene.change)
        scene.assertClicks(of: scene.changing, heardAfter: 0, saidToBeMadeAfter: 0, madeFrom: scene.change)
    }
}
