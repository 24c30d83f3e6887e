// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// A filter with blocks of one size in cycles that come twice, as PipeWire gives them to a late app.
final class FilterBlocksRepeatTests: XCTestCase {
    func testARepeatedCycleIsProcessedAgain() {
        let rig = BlockRig(.filter, blockSize: 64)
        for _ in 0..<4 { rig.run(64) }
        _ = rig.takeCalls()
        rig.position -= 64
        let start = rig.position
        XCTAssertTrue(rig.run(64)[0] == BlockRig.negated(start..<start + 64))
        let call = rig.takeCalls().first
        XCTAssertEqual(call?.position, start)
        XCTAssertEqual(call?.isDiscontinuous, true)
    }

    /// Within a block: the next one begins before its end.
    func testACycleThatComesTwiceWithinABlock() {
        let rig = BlockRig(.filter, blockSize: 100)
        for _ in 0..<26 { rig.run(64) }
        rig.position -= 64
        for _ in 0..<25 { rig.run(64) }
        let calls = rig.takeCalls()
        XCTAssertEqual(
            zip(calls, calls.dropFirst()).map { $1.position != $0.position + 100 },
            // That in which the cycle came again follows on the one before.
            calls.dropFirst().map(\.isDiscontinuous).enumerated().map { $0 == 15 ? false : $1 })
        XCTAssertEqual(calls.filter(\.isDiscontinuous).count, 3)
    }

    /// The sound goes on all the same, also where a block is longer than a cycle.
    func testAClockThatDoesNotCount() {
        let rig = BlockRig(.filter, blockSize: 100)
        var heard: [Float] = []
        for cycle in 0..<50 {
            let base = UInt64(cycle) * 64
            heard +=
                rig.run(64) { position, channel in BlockRig.sound(at: base + position - 4096, channel: channel) }[0]
            rig.position -= 64
            rig.extraNanoseconds += 64 * 1_000_000_000 / 48_000
        }
        XCTAssertEqual(rig.delay, 96)
        XCTAssertTrue(heard == Array(repeating: 0, count: 96) + BlockRig.negated(0..<UInt64(heard.count - 96)))
    }
}
