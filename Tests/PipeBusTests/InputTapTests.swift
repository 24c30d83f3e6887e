// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

/// A filter that hears a tap of its input while sources are exchanged, on the real audio side.
final class InputTapTests: XCTestCase {
    private func saw(_ start: Int, _ frames: Int) -> [Float] {
        (start..<start + frames).map { Float($0 % 997) / 997 }
    }

    private func steady(_ value: Float, _ frames: Int) -> [Float] { Array(repeating: value, count: frames) }

    /// Whatever is at the input meanwhile is not heard, and the way there and back is exact.
    func testTheSoundGoesOnThroughTheTap() {
        for fade in [Fade.standard, .none] {
            var random = SeededGenerator(seed: 3)
            let rig = FilterRig(fade: fade)
            for _ in 0..<4 { _ = rig.run(256) { _ in self.saw(Int(rig.position), 256) } }
            for round in 0..<20 {
                rig.beginTapping()
                if round % 3 == 0 { rig.setBypassed(round % 2 == 0) }
                var states: [InputTapState] = []
                for cycle in 0..<40 {
                    let frames = Int.random(in: 16...400, using: &random)
                    let start = Int(rig.position)
                    rig.runTap(frames) { _ in saw(start, frames) }
                    let isDisturbed = rig.tap.state == .tapped && cycle < 20
                    if cycle == 20 { rig.tap.end() }
                    let outputs = rig.run(frames) { _ in isDisturbed ? steady(9, frames) : saw(start, frames) }.outputs
                    // A bypass passes the input on as it is, the block inverts it.
                    for (heard, made) in zip(outputs[0], saw(start, frames)) where !rig.bypass.isBypassed {
                        guard rig.bypass.isIdle else { break }
                        XCTAssertEqual(heard, -made, accuracy: 1e-6, "\(round) \(cycle)")
                    }
                    // A fade may be over within a cycle.
                    if states.last != rig.tap.state, rig.tap.state != .fading { states.append(rig.tap.state) }
                }
                XCTAssertEqual(states, [.input, .tapped, .ended])
                rig.endTapping()
            }
        }
    }

    /// The fade is a raised cosine from the one sound to the other.
    func testItFadesToOtherSound() {
        let rig = FilterRig(fade: .standard)
        for _ in 0..<4 { _ = rig.run(256) { _ in self.steady(1, 256) } }
        rig.beginTapping()
        for _ in 0..<8 {
            rig.runTap(64) { _ in steady(1, 64) }
            _ = rig.run(64) { _ in rig.tap.state == .tapped ? steady(0.5, 64) : steady(1, 64) }
        }
        rig.tap.end()
        var heard: [Float] = []
        for _ in 0..<6 {
            rig.runTap(64) { _ in steady(1, 64) }
            heard += rig.run(64) { _ in steady(0.5, 64) }.outputs[0].map { -$0 }
        }
        XCTAssertEqual(heard.first ?? 0, 1, accuracy: 1e-3)
        XCTAssertEqual(heard, heard.sorted { $0 > $1 })
        XCTAssertEqual(heard[120], 0.75, accuracy: 0.01)
        XCTAssertEqual(Set(heard[240...]), [0.5])
        XCTAssertEqual(rig.tap.state, .ended)
    }

    /// A tap that is a cycle late, of other sound, or has not run is not heard.
    func testOnlyTheSameSoundIsHeard() {
        let rig = FilterRig(fade: .standard)
        for _ in 0..<4 { _ = rig.run(256) { _ in self.saw(Int(rig.position), 256) } }
        rig.beginTapping()
        for cycle in 0..<30 {
            let start = Int(rig.position)
            switch cycle % 3 {
            case 0: rig.runTap(64) { _ in saw(start - 64, 64) }
            case 1: rig.runTap(64) { _ in nil }
            default: break
            }
            let heard = rig.run(64) { _ in saw(start, 64) }.outputs[0]
            XCTAssertEqual(heard, saw(start, 64).map { -$0 })
            XCTAssertEqual(rig.tap.state, .input)
        }
        // Where it misses a cycle later, the input is heard.
        for _ in 0..<4 {
            let start = Int(rig.position)
            rig.runTap(64) { _ in saw(start, 64) }
            _ = rig.run(64) { _ in saw(start, 64) }
        }
        XCTAssertEqual(rig.tap.state, .tapped)
        XCTAssertEqual(rig.run(64) { _ in steady(0.25, 64) }.outputs[0], steady(-0.25, 64))
        rig.endTapping()
        XCTAssertEqual(rig.run(64) { _ in steady(0.5, 64) }.outputs[0], steady(-0.5, 64))
        XCTAssertTrue(rig.isPlain)
    }
}
