// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// The receiver's latency when the slowest source is disconnected.
final class HeldLatencyTests: HeldLatencyTestCase {
    func testTheOthersGoOnUnbrokenWhenTheSlowestGoes() {
        let rig = scene()
        let first = Int(rig.position) - 12_000
        rig.unlink(1)
        assertUnbroken(run(rig, cycles: 100)[0], from: first)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 12_000)
        XCTAssertEqual(rig.control.delay(ofLane: 0), 12_000)
        XCTAssertEqual(rig.memory.receiver?.realignments, 0, "the second one came in the same cycle as the first")
    }

    func testTheOthersGoOnUnbrokenWhenTheSlowestGetsFaster() {
        let rig = scene()
        let first = Int(rig.position) - 12_000
        rig.setLatency(100...100, ofLane: 1)
        assertUnbroken(run(rig, cycles: 100)[0], from: first)
        XCTAssertEqual([0, 1].map { rig.control.delay(ofLane: $0) }, [12_000, 11_900])
        XCTAssertEqual(rig.memory.receiver?.realignments, 0)
    }

    func testTheSameSlowSourceComingBackChangesNothing() {
        let rig = scene()
        let first = Int(rig.position) - 12_000
        rig.unlink(1)
        var heard = run(rig, cycles: 30)[0] ?? []
        rig.link(2, source: 3, latency: 12_000...12_000)
        heard += run(rig, cycles: 30)[0] ?? []
        assertUnbroken(heard, from: first)
        XCTAssertEqual(rig.memory.receiver?.realignments, 0)
    }

    func testASourceThatComesMeanwhileIsAlignedToWhatIsHeld() {
        let rig = scene()
        rig.unlink(1)
        run(rig, cycles: 30)
        rig.link(2, source: 3, latency: 500...500)
        let start = Int(rig.position)
        let heard = run(rig, cycles: 30)
        assertUnbroken(heard[0], from: start - 12_000)
        assertUnbroken(heard[2].map { Array($0.dropFirst(11_500)) }, from: start - 500)
        XCTAssertEqual(heard[2]?.prefix(11_500).contains { $0 != 0 }, false)
        XCTAssertEqual(rig.control.delay(ofLane: 2), 11_500)
    }

    func testInSilenceItShrinksAndTheNextSoundIsWhole() {
        let rig = scene(fade: .standard)
        rig.unlink(1)
        run(rig, cycles: 20)
        // As long as the delay line, and the rest of the last source. One frame less would cut the last one that
        // sounded.
        let silent = run(rig, cycles: 12, silentLanes: [0])[0] ?? []
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 12_000)
        XCTAssertEqual(silent.last, Float(Int(rig.position) - 12_000), "the last that was given came out first")
        let start = Int(rig.position)
        assertUnbroken(run(rig, cycles: 3)[0], from: start)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 0)
        XCTAssertEqual(rig.memory.receiver?.realignments, 0)
        XCTAssertEqual(rig.control.delay(ofLane: 0), 0)
    }

    func testADelayLineThatIsNotAllSilentKeepsIt() {
        for cycles in [1, 11] {
            let rig = scene()
            rig.unlink(1)
            run(rig, cycles: 20)
            run(rig, cycles: cycles, silentLanes: [0])
            let start = Int(rig.position)
            let heard = run(rig, cycles: 30)[0] ?? []
            assertUnbroken(Array(heard.dropFirst(12_000)), from: start)
            XCTAssertEqual(rig.memory.receiver?.totalLatency, 12_000)
        }
    }

    func testNoBuffersAreSilenceTooAndSoIsWhatIsTooSoftToHear() {
        for sample: Float? in [nil, 1e-5, -1e-5, 1.1e-5] {
            let rig = scene()
            rig.unlink(1)
            run(rig, cycles: 20)
            for _ in 0..<13 { _ = rig.run(1000) { _, _ in sample.map { Array(repeating: $0, count: 1000) } } }
            let isSilent = abs(sample ?? 0) <= 1e-5
            XCTAssertEqual(rig.memory.receiver?.totalLatency, isSilent ? 0 : 12_000, "\(sample ?? 0)")
        }
    }

    func testAllAlignedSourcesHaveToBeSilent() {
        let rig = scene()
        rig.link(2, source: 3, latency: 4000...4000)
        run(rig, cycles: 20)
        rig.unlink(1)
        run(rig, cycles: 20)
        run(rig, cycles: 30, silentLanes: [0])
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 12_000)
        run(rig, cycles: 9, silentLanes: [0, 2])
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 4000, "the other is delayed by 8000")
    }

    func testWhenAskedItShrinksWithACrossfadeThatCounts() {
        let rig = scene()
        rig.unlink(1)
        run(rig, cycles: 20)
        rig.control.requestRealignment()
        rig.control.publish()
        let start = Int(rig.position)
        let heard = run(rig, cycles: 3)[0] ?? []
        assertUnbroken(Array(heard.dropFirst(480)), from: start + 480)
        XCTAssertEqual(heard.first ?? 0, Float(start - 12_000), accuracy: 10)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 0)
        XCTAssertEqual(rig.memory.receiver?.realignments, 1)
        // Nothing is left to give up.
        rig.control.requestRealignment()
        rig.control.publish()
        assertUnbroken(run(rig, cycles: 3)[0], from: start + 3000)
        XCTAssertEqual(rig.memory.receiver?.realignments, 1)
    }

    func testASlowerSourceIsCountedOnceForAllThatJump() {
        let rig = ReceiverRig(lanes: 4, width: 1, isSeparate: true, fade: .none)
        rig.link(0, source: 1)
        rig.link(1, source: 2, latency: 10...10)
        run(rig, cycles: 3)
        XCTAssertEqual(rig.memory.receiver?.realignments, 0)
        rig.link(2, source: 3, latency: 700...700)
        run(rig, cycles: 3)
        XCTAssertEqual(rig.memory.receiver?.realignments, 1)
        rig.link(3, source: 4, latency: 700...700)
        run(rig, cycles: 3)
        XCTAssertEqual(rig.memory.receiver?.realignments, 1)
    }

    func testAloneASourceNeverJumps() {
        let rig = ReceiverRig(lanes: 2, width: 1, isSeparate: true, fade: .none)
        rig.link(0, source: 1)
        run(rig, cycles: 3)
        // Its latency is known only now.
        rig.setLatency(5000...5000, ofLane: 0)
        let start = Int(rig.position)
        assertUnbroken(run(rig, cycles: 3)[0], from: start - 5000)
        XCTAssertEqual(rig.memory.receiver?.realignments, 0)
    }

    func testWhatComesWhileTheLastStillSoundsIsAlignedToIt() {
        let rig = scene()
        rig.unlink(1)
        rig.unlink(0)
        run(rig, cycles: 1)
        rig.link(2, source: 3)
        run(rig, cycles: 1)
        XCTAssertEqual(rig.control.delay(ofLane: 2), 12_000)
        run(rig, cycles: 30)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 12_000, "it has not been silent since")
    }

    func testASourceBeyondTheCapacityIsNotHeldFor() {
        let rig = scene(alignment: .synchronized(capacity: 12_000))
        rig.link(2, source: 3, latency: 12_001...12_001)
        let first = Int(rig.position) - 12_000
        let heard = run(rig, cycles: 10)
        assertUnbroken(heard[0], from: first)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 12_001)
        rig.unlink(2)
        run(rig, cycles: 1)
        XCTAssertEqual(rig.memory.receiver?.totalLatency, 12_000)
    }
}
