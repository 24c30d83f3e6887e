// SPDX-License-Identifier: MIT
import Foundation
import SeededRandom
import XCTest

@testable import PipeBus

/// A filter's bypass on the real audio side.
final class BypassTests: XCTestCase {
    /// Noise whose every position differs from every other.
    private func noise(_ position: Int) -> Float {
        var bits = UInt64(truncatingIfNeeded: position) &* 0x9E37_79B9_7F4A_7C15
        bits ^= bits >> 29
        return Float(Int32(truncatingIfNeeded: bits)) / 0x8000_0000
    }

    private func noise(_ positions: Range<Int>) -> [Float] { positions.map(noise) }

    private func run(_ rig: FilterRig, _ frames: Int) -> (outputs: [[Float]], seen: AudioCycle?) {
        let start = Int(rig.position)
        return rig.run(frames) { _ in noise(start..<start + frames) }
    }

    func testDryItIsExactlyWhatCameSoManyFramesAgo() {
        for latency in [0, 1, 64, 480, 4_800, 48_000] {
            let rig = FilterRig(latency: latency)
            for _ in 0..<4 { _ = run(rig, 256) }
            rig.setBypassed(true)
            // The line fills, then a fade of 480 frames.
            while rig.position < 1024 + UInt64(latency) + 1024 { _ = run(rig, 256) }
            for frames in [16, 1024, 100, 8192] {
                let start = Int(rig.position)
                let (outputs, seen) = run(rig, frames)
                XCTAssertEqual(outputs[0], noise(start - latency..<start + frames - latency), "latency \(latency)")
                XCTAssertNil(seen, "the block is not called")
            }
        }
    }

    func testTheBlockComesBackDiscontinuousAndIsHeardWhenItIsWhole() {
        let latency = 700
        let rig = FilterRig(latency: latency)
        _ = run(rig, 256)
        rig.setBypassed(true)
        for _ in 0..<20 { _ = run(rig, 256) }
        rig.setBypassed(false)
        var start = Int(rig.position)
        let first = run(rig, 256)
        XCTAssertEqual(first.seen?.isDiscontinuous, true)
        XCTAssertEqual(first.outputs[0], noise(start - latency..<start + 256 - latency), "not yet")
        let second = run(rig, 256)
        XCTAssertEqual(second.seen?.isDiscontinuous, false)
        for _ in 0..<10 { _ = run(rig, 256) }
        start = Int(rig.position)
        let last = run(rig, 256)
        XCTAssertEqual(last.outputs[0], noise(start - latency..<start + 256 - latency).map { -$0 })
        // And all is as before.
        rig.publish()
        XCTAssertTrue(rig.bypass.isIdle)
        start = Int(rig.position)
        XCTAssertEqual(run(rig, 64).outputs[0], noise(start - latency..<start + 64 - latency).map { -$0 })
    }

    /// The control side looks while the block of the first bypassed cycle runs: it must not take the bypass for over.
    func testAnEndInTheFirstCycleIsNoEndYet() {
        let rig = FilterRig(latency: 0)
        _ = run(rig, 64)
        rig.setBypassed(true)
        // The audio thread's report so far is of an earlier order.
        rig.bypass.set(isBypassed: false, latency: 0)
        XCTAssertFalse(rig.bypass.isIdle)
        _ = run(rig, 64)
        XCTAssertTrue(rig.bypass.isIdle)
    }

    func testUntilTheLineIsFullTheFilterIsHeard() {
        let rig = FilterRig(latency: 1000)
        for _ in 0..<10 { _ = run(rig, 256) }
        rig.setBypassed(true)
        // 1024 frames have gone in before the fifth.
        for _ in 0..<4 {
            let start = Int(rig.position)
            XCTAssertEqual(run(rig, 256).outputs[0], noise(start - 1000..<start - 744).map { -$0 })
        }
        let start = Int(rig.position)
        XCTAssertNotEqual(run(rig, 256).outputs[0], noise(start - 1000..<start - 744).map { -$0 })
    }

    /// The filter starts again with its new latency, so its sound is not whole before that has passed once more.
    func testALatencyThatChangesWhileABypassEndsIsWaitedFor() {
        for (latency, new) in [(700, 3_000), (700, 701), (3_000, 700), (700, 0), (0, 700)] {
            for cycles in 0...3 {
                let rig = FilterRig(latency: latency)
                for _ in 0..<4 { _ = rig.run(256) { _ in Array(repeating: 1, count: 256) } }
                rig.setBypassed(true)
                for _ in 0..<20 { _ = rig.run(256) { _ in Array(repeating: 1, count: 256) } }
                rig.setBypassed(false)
                for _ in 0..<cycles { _ = rig.run(256) { _ in Array(repeating: 1, count: 256) } }
                // Later the filter is heard, and what it does with another latency is its own affair.
                guard cycles * 256 < latency else { continue }
                rig.setLatency(new)
                // From all dry, 1, to all wet, −1: never back, and nowhere a hole.
                var last: Float = 1
                for _ in 0..<40 {
                    for sample in rig.run(256, { _ in Array(repeating: 1, count: 256) }).outputs[0] {
                        if sample > last + 1e-6 || last - sample > Float.pi / 480 * 1.02 {
                            return XCTFail("\(last) and then \(sample): from \(latency) to \(new) after \(cycles)")
                        }
                        last = sample
                    }
                }
                XCTAssertEqual(last, -1, "from \(latency) to \(new) after \(cycles)")
                rig.publish()
                XCTAssertTrue(rig.isPlain)
                XCTAssertEqual(rig.bypass.lineCount, 0)
            }
        }
    }

    /// Nothing is left to be faded from.
    func testWhereTheRateChangesTheNewDelayIsThereAtOnce() {
        let rig = FilterRig(latency: 100)
        _ = run(rig, 256)
        rig.setBypassed(true)
        for _ in 0..<10 { _ = run(rig, 256) }
        rig.setLatency(1_100)
        // Filled, and in the middle of the crossfade.
        for _ in 0..<6 { _ = run(rig, 256) }
        rig.sampleRate = 44_100
        let begin = Int(rig.position)
        for _ in 0..<20 {
            let start = Int(rig.position)
            let expected = (start..<start + 256).map { $0 - 1_100 < begin ? 0 : noise($0 - 1_100) }
            XCTAssertEqual(run(rig, 256).outputs[0], expected)
        }
    }

    func testOtherChannelsOutThanIn() {
        let cases: [(inputs: Int, outputs: Int, expected: [[Float]])] = [
            (2, 2, [[1], [2]]), (1, 2, [[1], [1]]), (2, 1, [[1.5]]), (4, 1, [[2.5]]), (3, 2, [[1], [2]]),
            (2, 3, [[1], [2], [0]]), (1, 1, [[1]]),
        ]
        for latency in [0, 100] {
            for line in cases {
                let rig = FilterRig(inputs: line.inputs, outputs: line.outputs, latency: latency)
                rig.setBypassed(true)
                var outputs: [[Float]] = []
                for _ in 0..<6 {
                    outputs = rig.run(256) { channel in Array(repeating: Float(channel + 1), count: 256) }.outputs
                }
                for (channel, expected) in line.expected.enumerated() {
                    for sample in outputs[channel] {
                        XCTAssertEqual(sample, expected[0], accuracy: 1e-6, "\(line.inputs) in, \(line.outputs) out")
                    }
                }
            }
        }
    }

    func testMissedFramesAreSilentInTheirPlace() {
        let rig = FilterRig(latency: 400)
        rig.setBypassed(true)
        for _ in 0..<10 { _ = run(rig, 256) }
        rig.miss(100)
        let start = Int(rig.position)
        let expected = (start - 400..<start + 112).map { position in
            (start - 100..<start).contains(position) ? 0 : noise(position)
        }
        XCTAssertEqual(run(rig, 512).outputs[0], expected)
    }

    func testACycleThatBeginsLateLosesNothing() {
        let rig = FilterRig(latency: 400)
        rig.setBypassed(true)
        for _ in 0..<10 { _ = run(rig, 256) }
        for isReconnected in [false, true] {
            rig.isOvertaken = !isReconnected
            if isReconnected { rig.reconnect() }
            let start = Int(rig.position)
            XCTAssertEqual(run(rig, 256).outputs[0], noise(start - 400..<start - 144))
        }
    }

    func testNothingFromBeforeAReconnectionIsHeard() {
        let rig = FilterRig(latency: 400)
        rig.setBypassed(true)
        for _ in 0..<10 { _ = run(rig, 256) }
        rig.miss(1_000_000)
        rig.reconnect()
        let start = Int(rig.position)
        XCTAssertEqual(
            run(rig, 512).outputs[0], Array(repeating: 0, count: 400) + noise(start..<start + 112))
    }

    /// 10 000 switches at any moment, any cycle length, with latencies that change meanwhile and rates too.
    func testNoSwitchMakesAStepAboveTheRamp() {
        var generator = SeededGenerator(seed: 4)
        var counts = StepCounts()
        for latency in [0, 1, 300, 480, 2_000] {
            let rig = FilterRig(latency: latency)
            // The declared latency is never less than the block's own, which would cause the step otherwise.
            let latencies = [latency, latency + 1, latency + 64, latency + 480, latency + 2_500]
            // A filter begins with silence, and so it does when the rate has changed, both ways.
            var silentUntil = latency
            var last: Float = 0
            for round in 0..<2_000 {
                rig.setBypassed(round.isMultiple(of: 2))
                if Int.random(in: 0..<60, using: &generator) == 0 {
                    rig.sampleRate = [44_100, 48_000, 96_000].filter { $0 != rig.sampleRate }
                        .randomElement(using: &generator)!
                    silentUntil = Int(rig.position) + latencies.max()!
                    counts.rates += 1
                }
                // From far too short for anything to happen to long enough for all.
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    if Int.random(in: 0..<8, using: &generator) == 0 {
                        rig.declareLatency(latencies.randomElement(using: &generator)!)
                        counts.latencies += 1
                    }
                    let start = Int(rig.position)
                    let frames = Int.random(in: 16...700, using: &generator)
                    let (outputs, _) = rig.run(frames) { _ in (start..<start + frames).map(wave) }
                    for (frame, sample) in outputs[0].enumerated() {
                        if start + frame > silentUntil, counts.isTooSteep(sample - last, rate: rig.sampleRate) {
                            return XCTFail(
                                "a step of \(sample - last) at \(start + frame), latency \(latency), round \(round)")
                        }
                        last = sample
                    }
                }
            }
        }
        XCTAssertGreaterThan(counts.steepest, 0.9, "it was heard switching")
        XCTAssertGreaterThan(counts.rates, 100)
        XCTAssertGreaterThan(counts.latencies, 1_000)
    }

    /// A wave of full scale, and slow beside a fade.
    private func wave(_ position: Int) -> Float { Float(sin(2 * .pi * 40 * Double(position) / 48_000)) }

    private struct StepCounts {
        var rates = 0
        var latencies = 0
        /// In steepest slopes of one crossfade between two signals of full scale.
        var steepest: Float = 0

        /// Two crossfades can come together: of a line to another one, and of the filter to either. With a raised cosine
        /// each, between signals of full scale, they are at most 4 cos² 30° sin 60° as steep as half of one.
        mutating func isTooSteep(_ step: Float, rate: Int) -> Bool {
            let fade = 2 * Float.pi / 2 / Float(rate / 100)
            steepest = max(steepest, abs(step) / fade)
            return abs(step) > (1.3 * fade + 2 * .pi * 40 / 48_000) * 1.02
        }
    }

    func testALatencyThatChangesWhileItIsBypassedIsFollowedWithoutAStep() {
        var generator = SeededGenerator(seed: 9)
        let rig = FilterRig(latency: 480)
        rig.setBypassed(true)
        var last: Float?
        let bound = Float(2 * Double.pi / 2 / 480 + 2 * Double.pi * 40 / 48_000) * 1.02
        for round in 0..<500 {
            let latency = [0, 1, 64, 480, 3_000, 9_000].randomElement(using: &generator)!
            rig.setLatency(latency)
            for _ in 0..<Int.random(in: 1...30, using: &generator) {
                let frames = Int.random(in: 16...1024, using: &generator)
                let start = Int(rig.position)
                let (outputs, _) = rig.run(frames) { _ in
                    (start..<start + frames).map { Float(sin(2 * .pi * 40 * Double($0) / 48_000)) }
                }
                for sample in outputs[0] {
                    if let last, start > 12_000, abs(sample - last) > bound {
                        return XCTFail("a step of \(sample - last) at \(start), latency \(latency), round \(round)")
                    }
                    last = sample
                }
            }
        }
        // In the end it has the last latency.
        rig.setLatency(1_234)
        for _ in 0..<20 { _ = run(rig, 1024) }
        let start = Int(rig.position)
        XCTAssertEqual(run(rig, 512).outputs[0], noise(start - 1_234..<start - 722))
    }

    func testLinesThatAreNotInUseAnyMoreAreFreed() {
        let rig = FilterRig(latency: 100)
        rig.setBypassed(true)
        for latency in 1...50 {
            rig.setLatency(latency * 10)
            for _ in 0..<8 { _ = run(rig, 512) }
        }
        XCTAssertLessThanOrEqual(rig.bypass.lineCount, 3)
    }
}
