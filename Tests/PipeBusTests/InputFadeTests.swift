// SPDX-License-Identifier: MIT
import Foundation
import SeededRandom
import XCTest

@testable import PipeBus

/// The fades of a filter's input against clicks, on the real audio side.
final class InputFadeTests: XCTestCase {
    private func wave(_ positions: Range<Int>) -> [Float] {
        positions.map { Float(sin(2 * .pi * 40 * Double($0) / 48_000)) }
    }

    /// A source is connected or disconnected 10 000 times, reported first by PipeWire or by the control side, or by one
    /// of them alone, with a bypass now and then.
    func testNoComingAndGoingMakesAStepAboveTheRamp() {
        var generator = SeededGenerator(seed: 21)
        let rig = FilterRig(latency: 0, fade: .standard)
        let slope = 2 * Double.pi * 40 / 48_000
        // A fade in or out of full scale, on top of one that has not ended, and a crossfade of the bypass between signals
        // of opposite signs.
        let bound = Float(2 * Double.pi / 2 / 240 + 2 * Double.pi / 2 / 480 + slope) * 1.02
        var last: Float = 0
        var loudest: Float = 0
        for round in 0..<10_000 {
            let isLinked = Bool.random(using: &generator)
            let hasBuffer = Bool.random(using: &generator)
            rig.setLinked(isLinked)
            if round % 50 == 0 { rig.setBypassed(round % 100 == 0) }
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let frames = Int.random(in: 16...400, using: &generator)
                let start = Int(rig.position)
                let (outputs, _) = rig.run(frames) { _ in hasBuffer ? wave(start..<start + frames) : nil }
                for sample in outputs[0] {
                    if abs(sample - last) > bound {
                        return XCTFail("a step of \(sample - last) at \(start), round \(round)")
                    }
                    loudest = max(loudest, abs(sample))
                    last = sample
                }
            }
        }
        XCTAssertGreaterThan(loudest, 0.99)
    }

    func testWhatHasBegunComesAsItIs() {
        let rig = FilterRig(latency: 0, fade: .standard)
        for _ in 0..<2 { _ = rig.run(256) { _ in [Float](repeating: 1, count: 256) } }
        XCTAssertEqual(rig.run(256) { _ in self.wave(0..<256) }.outputs[0], wave(0..<256).map { -$0 })
    }

    func testWithoutAFadeItComesAsItIsFromTheFirstSampleOn() {
        let rig = FilterRig(latency: 0, fade: .none)
        XCTAssertEqual(rig.run(256) { _ in self.wave(0..<256) }.outputs[0], wave(0..<256).map { -$0 })
        XCTAssertEqual(rig.run(64) { _ in nil }.outputs[0], [Float](repeating: 0, count: 64))
    }

    func testACycleThatBeginsLateIsNotFadedIn() {
        let rig = FilterRig(latency: 0, fade: .standard)
        for _ in 0..<3 { _ = rig.run(256) { _ in [Float](repeating: 1, count: 256) } }
        rig.isOvertaken = true
        XCTAssertEqual(
            rig.run(256) { _ in [Float](repeating: 1, count: 256) }.outputs[0], [Float](repeating: -1, count: 256))
    }

    func testNothingFromBeforeAReconnectionDiesAway() {
        let rig = FilterRig(latency: 0, fade: .standard)
        for _ in 0..<3 { _ = rig.run(256) { _ in [Float](repeating: 1, count: 256) } }
        rig.miss(100_000)
        rig.reconnect()
        XCTAssertEqual(rig.run(64) { _ in nil }.outputs[0], [Float](repeating: 0, count: 64))
    }

    func testAFadeIsAsLongAsItWasAskedFor() {
        for milliseconds in [1, 5, 20] {
            let rig = FilterRig(latency: 0, fade: .duration(.milliseconds(milliseconds)))
            let output = rig.run(2048) { _ in [Float](repeating: 1, count: 2048) }.outputs[0]
            XCTAssertGreaterThan(output[48 * milliseconds - 2], -1)
            XCTAssertEqual(output[48 * milliseconds - 1], -1)
        }
    }
}
