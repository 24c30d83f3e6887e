// SPDX-License-Identifier: MIT
import ConnectionGraph
import SeededRandom
import XCTest

@testable import PipeBus

/// Sources of a receiver that are exchanged for others, cycle by cycle.
final class HeldLaneTests: XCTestCase {
    private static func sound(_ position: Int) -> Float { Float((position * 37) % 1024) / 1024 }

    /// One sound on two lanes, each delayed as much as its source is younger: whatever is exchanged, and in the middle of which fade,
    /// the mix is the sound.
    func testTheGainsAddUpToOne() {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let rig = ReceiverRig(width: 1)
            let latencies = [0, Int.random(in: 0...700, using: &random)]
            rig.link(0, source: 1, latency: latencies[0]...latencies[0])
            rig.control.holdWhenConnected([2])
            rig.link(1, source: 2, latency: latencies[1]...latencies[1])
            var heard = 0
            for cycle in 0..<200 {
                let frames = [16, 64, 100, 256].randomElement(using: &random)!
                let start = Int(rig.position)
                if cycle > 40, Int.random(in: 0..<3, using: &random) == 0 {
                    let isFirstHeld = !rig.control.lanes[0].isHeld
                    rig.control.setHeld(isFirstHeld, lane: 0)
                    rig.control.setHeld(!isFirstHeld, lane: 1)
                    rig.control.publish()
                }
                let seen = rig.run(frames) { lane, _ in
                    (start..<start + frames).map { Self.sound($0 - latencies[lane] + 4096) }
                }
                guard let seen, cycle > 40, let made = seen.mixTimestamp?.position else { continue }
                for (frame, sample) in seen.mix[0].enumerated() {
                    XCTAssertEqual(sample, Self.sound(Int(made) + frame + 4096), accuracy: 1e-6, "\(seed) \(cycle)")
                    heard += 1
                }
            }
            XCTAssertGreaterThan(heard, 5000)
        }
    }

    /// A source that is held is silent from its first frame, and is reported so; one that leaves while it is held does not die away.
    func testAHeldSourceIsSilent() {
        let rig = ReceiverRig(width: 1)
        rig.control.holdWhenConnected([7])
        rig.link(0, source: 7)
        for _ in 0..<20 {
            let seen = rig.run(64) { lane, _ in lane == 0 ? Array(repeating: 1, count: 64) : nil }
            XCTAssertEqual(seen?.mix[0].max(), 0)
        }
        XCTAssertEqual(
            rig.control.memory.fadedOutGeneration(ofLane: 0), rig.control.lanes[0].sourceGeneration)
        rig.unlink(0)
        for _ in 0..<20 {
            let seen = rig.run(64) { _, _ in nil }
            XCTAssertEqual(seen?.mix[0].max() ?? 0, 0)
        }
        // Another source on the lane is heard.
        rig.link(0, source: 8)
        var last: Float?
        for _ in 0..<20 {
            last = rig.run(64) { lane, _ in lane == 0 ? Array(repeating: 1, count: 64) : nil }?.mix[0].last
        }
        XCTAssertEqual(last, 1)
    }
}
