// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization
import XCTest

@testable import PipeBus

/// A held latency ends with the sound that needed it: when PipeWire did not run the receiver for a time.
final class LatencyAfterPauseTests: HeldLatencyTestCase {
    func testWhatComesAfterNothingWasConnectedIsNotDelayed() {
        let rig = scene()
        rig.unlink(1)
        rig.unlink(0)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 0)
        run(rig, cycles: 30)
        rig.link(0, source: 3)
        XCTAssertEqual(rig.control.delay(ofLane: 0), 0, "known before the first cycle")
        let start = Int(rig.position)
        assertUnbroken(run(rig, cycles: 3)[0], from: start)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 0)
    }

    /// PipeWire runs the node before its new link is known.
    func testWhatComesLongAfterTheRestOfTheLastWasCutOffIsNotDelayed() throws {
        for sampleRate in [48_000, 96_000] {
            let rig = scene()
            rig.unlink(1)
            rig.unlink(0)
            run(rig, cycles: 1)
            rig.miss(100_000)
            rig.changeSampleRate(to: sampleRate)
            for _ in 0..<3 { XCTAssertNil(rig.run(1000) { _, _ in nil }, "no source and no sound") }
            rig.link(2, source: 3)
            let start = Int(rig.position)
            let first = try XCTUnwrap(rig.run(1000) { _, _ in self.count(from: start, 1000) })
            XCTAssertEqual(first.lanes[2]?.channels[0], count(from: start, 1000))
            XCTAssertEqual(first.cycle.missedFrames, 0)
            XCTAssertTrue(first.cycle.isDiscontinuous)
            assertUnbroken(run(rig, cycles: 3)[2], from: start + 1000)
            XCTAssertEqual(rig.memory.receiver?.totalLatency, 0)
            XCTAssertEqual(rig.control.delay(ofLane: 2), 0)
            XCTAssertEqual(rig.memory.core.value.xrunCount.load(ordering: .relaxed), 0)
        }
    }

    /// A driver stops when nothing is linked any more, and goes on at the same position.
    func testWhatComesAfterTheDriverStoodStillIsNotDelayed() throws {
        let rig = scene()
        rig.unlink(1)
        rig.unlink(0)
        run(rig, cycles: 1)
        rig.stand(seconds: 0.05)
        for _ in 0..<3 { XCTAssertNil(rig.run(1000) { _, _ in nil }, "no source and no sound") }
        rig.link(2, source: 3)
        let start = Int(rig.position)
        assertUnbroken(run(rig, cycles: 3)[2], from: start)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 0)
        XCTAssertEqual(rig.memory.core.value.xrunCount.load(ordering: .relaxed), 0)
    }

    func testAfterAPauseNothingIsHeldNorMissed() throws {
        let rig = scene()
        rig.unlink(1)
        run(rig, cycles: 30)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 12_000)
        rig.pause()
        rig.miss(100_000)
        let start = Int(rig.position)
        let first = try XCTUnwrap(rig.run(1000) { _, _ in self.count(from: start, 1000) })
        XCTAssertEqual(first.lanes[0]?.channels[0], count(from: start, 1000))
        XCTAssertEqual(first.cycle.missedFrames, 0)
        XCTAssertTrue(first.cycle.isDiscontinuous)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 0)
        XCTAssertEqual(rig.memory.core.value.xrunCount.load(ordering: .relaxed), 0)
    }

    func testAfterALongGapNothingIsHeld() {
        let rig = scene()
        rig.unlink(1)
        run(rig, cycles: 30)
        rig.miss(8193)
        let start = Int(rig.position)
        assertUnbroken(run(rig, cycles: 3)[0], from: start)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 0)
        XCTAssertEqual(rig.memory.receiver?.realignments, 0)
        XCTAssertEqual(rig.memory.core.value.xrunCount.load(ordering: .relaxed), 1)
    }

    func testACycleThatIsGivenTwiceIsTheSameTime() {
        let rig = scene()
        for _ in 0..<3 {
            rig.repeatLast(1000)
            let start = Int(rig.position)
            let heard = run(rig, cycles: 20)
            assertUnbroken(heard[0], from: start - 12_000)
            assertUnbroken(heard[1], from: start - 12_000)
        }
    }
}
