// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// Inputs are put in step whatever their distance, up to what the capacity holds.
final class MultiStreamDistanceTests: XCTestCase {
    /// Two inputs in blocks of 10 ms.
    private final class Rig {
        let inputs: [RampInput]
        var output: MultiStreamOutput
        var now = 32.0
        /// How late the blocks of each input are given.
        var delays = [0.0, 0.0]
        /// Number of blocks, and of those in which each input has sound at the time that it told.
        var blocks = 0
        var right = [0, 0]
        /// Number of blocks in which each input is silent.
        var silent = [0, 0]

        init(capacity: Int) throws {
            let formats = [48_000, 48_000].map { StreamFormat(.float32, channelCount: 1, sampleRate: $0) }
            let streams = try MultiStream(formats, channelCount: 1, capacity: capacity)
            inputs = try (0..<2).map {
                RampInput(try streams.makeInput($0), rate: 48_000, block: 480, start: 32)
            }
            output = try streams.makeOutput()
        }

        func run(until end: Double) {
            (blocks, right, silent) = (0, [0, 0], [0, 0])
            while now < end {
                now += 0.01
                for (input, delay) in zip(inputs, delays) { input.run(until: now - delay) }
                output.readAll(at: now) { input, samples, result in
                    guard result.frameCount > 240 else { return }
                    let time = Double(result.time.nanoseconds) / 1e9 + 0.005
                    let lateness = RampInput.lateness(of: samples[240], after: time - inputs[input].shift)
                    if let lateness, abs(lateness) < 0.003 { right[input] += 1 }
                    if lateness == nil { silent[input] += 1 }
                    if input == 0 { blocks += 1 }
                }
            }
        }

        /// The time of an input jumps at 34 s. Counts 3 s from a time on.
        func jump(_ input: Int, by shift: Double, countFrom start: Double) {
            run(until: 34)
            inputs[input].shift = shift
            run(until: start)
            run(until: start + 3)
        }
    }

    func testAnInputThatIsGivenLateIsInStep() throws {
        for late in 0..<2 {
            for delay in [1.5, 2.1, 5] {
                let rig = try Rig(capacity: 1 << 20)
                rig.delays[late] = delay
                rig.run(until: 32 + 3 * delay)
                rig.run(until: 32 + 3 * delay + 3)
                let (blocks, right) = (rig.blocks, rig.right)
                XCTAssertGreaterThan(blocks, 250, "\(late) \(delay)")
                XCTAssertEqual(right, [blocks, blocks], "\(late) \(delay)")
            }
        }
    }

    func testAJumpOfSecondsIsFollowed() throws {
        for jumping in 0..<2 {
            for shift in [1.5, 5, -1.5, -5] {
                let rig = try Rig(capacity: 1 << 20)
                rig.jump(jumping, by: shift, countFrom: 46)
                let (blocks, right) = (rig.blocks, rig.right)
                XCTAssertGreaterThan(blocks, 250, "\(jumping) \(shift)")
                XCTAssertEqual(right, [blocks, blocks], "\(jumping) \(shift)")
            }
        }
    }

    /// Times that are further apart than the capacity holds have nothing to do with each other: both are heard as they come.
    func testTimesThatAreHoursApartGiveNoSilence() throws {
        for jumping in 0..<2 {
            for shift in [7200.0, -20] {
                let rig = try Rig(capacity: 1 << 18)
                rig.jump(jumping, by: shift, countFrom: 36)
                let (blocks, silent) = (rig.blocks, rig.silent)
                XCTAssertGreaterThan(blocks, 250, "\(jumping) \(shift)")
                XCTAssertEqual(silent, [0, 0], "\(jumping) \(shift)")
            }
        }
    }
}
