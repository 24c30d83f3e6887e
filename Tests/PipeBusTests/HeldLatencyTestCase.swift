// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// A receiver of a prompt and a slow source, whose frames count.
class HeldLatencyTestCase: XCTestCase {
    /// A count of the frames of the time when they were made, from 1 on; 0 before.
    func count(from start: Int, _ frames: Int, latency: Int = 0) -> [Float] {
        (0..<frames).map { Float(max(start + $0 - latency + 1, 0)) }
    }

    /// A receiver of separate streams with latencies 0 and 12 000, which has run for a second.
    func scene(alignment: Alignment = .synchronized, fade: Fade = .none) -> ReceiverRig {
        let rig = ReceiverRig(lanes: 3, width: 1, isSeparate: true, alignment: alignment, fade: fade)
        rig.link(0, source: 1)
        rig.link(1, source: 2, latency: 12_000...12_000)
        run(rig, cycles: 48)
        return rig
    }

    /// Runs cycles of counts and returns what came of each lane, the timestamps of its blocks being without a gap.
    @discardableResult
    func run(_ rig: ReceiverRig, _ frames: Int = 1000, cycles: Int, silentLanes: Set<Int> = []) -> [Int: [Float]] {
        var heard: [Int: [Float]] = [:]
        for _ in 0..<cycles {
            let start = Int(rig.position)
            let seen = rig.run(frames) { lane, _ in
                silentLanes.contains(lane)
                    ? [Float](repeating: 0, count: frames)
                    : self.count(from: start, frames, latency: rig.control.lanes[lane].latency.upperBound)
            }
            for (lane, block) in seen?.lanes ?? [:] { heard[lane, default: []] += block.channels[0] }
        }
        return heard
    }

    func assertUnbroken(
        _ samples: [Float]?, from first: Int, file: StaticString = #filePath, line: UInt = #line
    ) {
        guard let samples else { return XCTFail("nothing came", file: file, line: line) }
        let wrong = samples.indices.first { samples[$0] != Float(max(first + $0 + 1, 0)) }
        XCTAssertNil(
            wrong, "frame \(wrong ?? 0) is \(samples[wrong ?? 0]), not \(first + (wrong ?? 0) + 1)", file: file,
            line: line)
    }
}
