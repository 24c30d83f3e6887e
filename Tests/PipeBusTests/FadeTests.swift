// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

/// Coming and going without a click, on a signal that would show the smallest one.
final class FadeTests: XCTestCase {
    private func ones(_ frames: Int) -> [Float] { Array(repeating: 1, count: frames) }
    /// The largest step of the raised cosine of 240 frames.
    private let steepest: Float = .pi / 2 / 240 * 1.01

    func testSoundIsFadedInOverFiveMillisecondsAlongARaisedCosine() {
        let rig = ReceiverRig(lanes: 1, width: 1)
        rig.link(0, source: 1)
        let mix = rig.run(1024) { _, _ in ones(1024) }!.mix[0]
        for frame in 0..<240 {
            XCTAssertEqual(mix[frame], 0.5 - 0.5 * cos(.pi * Float(frame + 1) / 240), accuracy: 3e-6)
        }
        XCTAssertEqual(mix[239...].allSatisfy { $0 == 1 }, true)
    }

    /// A new link may give zeros first, on one channel or on both.
    func testAFadeInWaitsForTheSound() {
        for (late, cycles) in [([0], 1), ([1], 2), ([0, 1], 3)] {
            let rig = ReceiverRig(lanes: 1, width: 2, panLaw: .balance)
            rig.link(0, source: 1)
            var mix: [[Float]] = [[], []]
            for cycle in 0..<6 {
                let seen = rig.run(1024) { _, channel in
                    late.contains(channel) && cycle < cycles ? Array(repeating: 0, count: 1024) : ones(1024)
                }!
                for channel in 0..<2 { mix[channel] += seen.mix[channel] }
            }
            for channel in 0..<2 {
                XCTAssertEqual(mix[channel].firstIndex { $0 != 0 }, late.contains(channel) ? cycles * 1024 : 0)
                for frame in 1..<mix[channel].count where abs(mix[channel][frame] - mix[channel][frame - 1]) > steepest
                {
                    XCTFail("channel \(channel): a step at frame \(frame)")
                }
                XCTAssertEqual(mix[channel].last, 1)
            }
        }
    }

    /// The sound of a source that is silent at first is whole from its first frame on.
    func testAFadeInDoesNotWaitForEver() {
        let rig = ReceiverRig(lanes: 1, width: 1)
        rig.link(0, source: 1)
        for _ in 0..<4 { _ = rig.run(1024) { _, _ in Array(repeating: 0, count: 1024) } }
        XCTAssertEqual(rig.run(1024) { _, _ in ones(1024) }?.mix[0], ones(1024))
    }

    /// PipeWire 0.3.65 gives silence on an input that once had two links, and has none.
    func testAChannelThatIsLinkedLaterIsFadedIn() {
        let rig = ReceiverRig(lanes: 1, width: 2, panLaw: .balance)
        rig.link(0, source: 1, channels: [0])
        for _ in 0..<8 {
            _ = rig.run(1024) { _, channel in channel == 0 ? ones(1024) : Array(repeating: 0, count: 1024) }
        }
        rig.link(0, source: 1)
        let mix = rig.run(1024) { _, _ in ones(1024) }!.mix
        XCTAssertEqual(mix[0], ones(1024))
        XCTAssertLessThan(mix[1][0], steepest)
        XCTAssertEqual(mix[1].last, 1)
    }

    func testASourceIsFadedOutBeforeItIsUnlinkedAndThatIsReported() {
        let rig = ReceiverRig(lanes: 1, width: 1)
        rig.link(0, source: 1)
        _ = rig.run(1024) { _, _ in ones(1024) }
        rig.leave(0)
        let receiver = rig.memory.receiver!
        XCTAssertEqual(receiver.fadedOutGeneration(ofLane: 0), 0)
        var all: [Float] = []
        for _ in 0..<4 { all += rig.run(64) { _, _ in ones(64) }!.mix[0] }
        XCTAssertEqual(receiver.fadedOutGeneration(ofLane: 0), rig.control.lanes[0].sourceGeneration)
        XCTAssertEqual(all[239...].allSatisfy { $0 == 0 }, true)
        for frame in 1..<all.count { XCTAssertLessThanOrEqual(abs(all[frame] - all[frame - 1]), steepest) }
    }

    func testSoundThatAnotherProgramCutsOffDecays() {
        // A second source keeps the graph running.
        let rig = ReceiverRig(lanes: 2, width: 1)
        rig.link(0, source: 1)
        rig.link(1, source: 2)
        _ = rig.run(1024) { lane, _ in lane == 0 ? ones(1024) : Array(repeating: 0, count: 1024) }
        rig.unlink(0)
        let mix = rig.run(1024) { lane, _ in lane == 0 ? nil : Array(repeating: 0, count: 1024) }!.mix[0]
        XCTAssertEqual(mix[0], 1, accuracy: steepest)
        XCTAssertEqual(mix[239...].allSatisfy { $0 == 0 }, true)
        for frame in 1..<mix.count { XCTAssertLessThanOrEqual(abs(mix[frame] - mix[frame - 1]), steepest) }
    }

    /// A fade is longer there, so one that has just ended would not have.
    func testADecayThatHasEndedDoesNotGoOnAtAHigherRate() {
        let rig = ReceiverRig(lanes: 2, width: 1)
        rig.link(0, source: 1)
        rig.link(1, source: 2)
        let silence = { (frames: Int) in Array(repeating: Float(0), count: frames) }
        _ = rig.run(1024) { lane, _ in lane == 0 ? ones(1024) : silence(1024) }
        rig.unlink(0)
        XCTAssertEqual(rig.run(256) { lane, _ in lane == 0 ? nil : silence(256) }?.mix[0].last, 0)
        rig.changeSampleRate(to: 96_000)
        rig.link(0, source: 3)
        XCTAssertEqual(rig.run(1024) { _, _ in silence(1024) }?.mix[0], silence(1024))
    }

    func testWithoutAFadeEverySampleComesAsItIs() {
        let rig = ReceiverRig(lanes: 2, width: 1, fade: .none)
        rig.link(0, source: 1)
        rig.link(1, source: 2)
        let silence = Array(repeating: Float(0), count: 64)
        XCTAssertEqual(rig.run(64) { lane, _ in lane == 0 ? ones(64) : silence }?.mix[0], ones(64))
        rig.unlink(0)
        XCTAssertEqual(rig.run(64) { lane, _ in lane == 0 ? nil : silence }?.mix[0], silence)
    }

    /// A steady signal, connected, cut off, faded out, taken over and connected again at random: no step is larger than the
    /// steepest fades of both lanes together.
    func testThereIsNoStepWhateverHappens() {
        var random = SeededGenerator(seed: 5)
        let rig = ReceiverRig(lanes: 3, width: 1, alignment: .immediate)
        rig.link(2, source: 1000)
        var source: UInt64 = 1
        var isLinked = [false, false]
        var last: Float = 0
        for step in 0..<10_000 {
            let lane = Int.random(in: 0..<2, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                rig.link(lane, source: source)
                source += 1
                isLinked[lane] = true
            case 2:
                rig.unlink(lane)
                isLinked[lane] = false
            case 3 where isLinked[lane]: rig.leave(lane)
            default: break
            }
            let frames = [1, 16, 50, 100, 300].randomElement(using: &random)!
            let mix = rig.run(frames) { lane, _ in
                lane == 2 ? Array(repeating: 0, count: frames) : isLinked[lane] ? ones(frames) : nil
            }!.mix[0]
            for sample in mix {
                // One fading in and one dying away on each lane.
                if abs(sample - last) > 4 * steepest { return XCTFail("step \(step): from \(last) to \(sample)") }
                last = sample
            }
        }
    }

    func testAFadeOutThatWasTakenBackIsNotTakenForTheNext() {
        let rig = ReceiverRig(lanes: 1, width: 1)
        rig.link(0, source: 1)
        _ = rig.run(1024) { _, _ in ones(1024) }
        let sourceGeneration = rig.control.lanes[0].sourceGeneration
        func isFadedOut() -> Bool {
            rig.control.memory.fadedOutGeneration(ofLane: 0) == sourceGeneration
        }
        rig.leave(0)
        _ = rig.run(1024) { _, _ in ones(1024) }
        XCTAssertTrue(isFadedOut())
        rig.control.setLeaving(false, lane: 0)
        rig.control.publish()
        _ = rig.run(1024) { _, _ in ones(1024) }
        rig.leave(0)
        XCTAssertFalse(isFadedOut(), "it is heard")
        _ = rig.run(1024) { _, _ in ones(1024) }
        XCTAssertTrue(isFadedOut())
    }

    func testNothingIsLeftFromBeforeAPause() {
        let rig = ReceiverRig(lanes: 2, width: 1)
        rig.link(0, source: 1)
        rig.link(1, source: 2, latency: 4000...4000)
        _ = rig.run(1024) { _, _ in ones(1024) }
        rig.unlink(0)
        rig.unlink(1)
        // Nothing is linked, so PipeWire does not run the node.
        rig.miss(100_000)
        rig.link(0, source: 1)
        let mix = rig.run(1024) { lane, _ in lane == 0 ? Array(repeating: 0, count: 1024) : nil }?.mix[0]
        XCTAssertEqual(mix?.allSatisfy { $0 == 0 }, true)
    }
}
