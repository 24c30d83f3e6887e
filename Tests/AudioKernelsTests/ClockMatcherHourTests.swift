// SPDX-License-Identifier: MIT
import AudioKernels
import SeededRandom
import XCTest

/// An hour of virtual time, with threads of the app that wake up to 1 ms early or late and are held up at times.
///
/// The bounds are those of `Docs/Decisions/0016-clock-matching.md`.
final class ClockMatcherHourTests: XCTestCase {
    private struct Bound {
        /// In seconds.
        var delay: Double
        /// In parts per million.
        var pitch: Double
    }

    private func check(
        _ scene: ClockScene, seed: UInt64, minute: Bound, hour: Bound, seconds: Double = 3600,
        file: StaticString = #filePath, line: UInt = #line
    ) {
        var simulation = ClockSimulation(scene, seed: seed)
        var start = 0.0
        for (end, bound) in [
            (10.0, Bound(delay: 0.0025, pitch: 2500)), (60, Bound(delay: 0.0025, pitch: 1000)), (120, minute),
            (seconds, hour),
        ] {
            simulation.run(seconds: end - start)
            let findings = simulation.findings
            let text = "until \(end) s: \(scene), seed \(seed): \(findings)"
            if start == 0 { XCTAssertLessThan(findings.lockTime, 2, text, file: file, line: line) }
            XCTAssertEqual(findings.losses, 0, text, file: file, line: line)
            XCTAssertEqual(findings.moves, start == 0 ? 1 : 0, text, file: file, line: line)
            XCTAssertLessThan(findings.delay, bound.delay, text, file: file, line: line)
            XCTAssertLessThan(findings.pitch, bound.pitch, text, file: file, line: line)
            if scene.direction == .reading { XCTAssertEqual(findings.underruns, 0, text, file: file, line: line) }
            simulation.startFindings()
            start = end
        }
    }

    private func checkOffsets(
        _ scene: ClockScene, minute: Bound, hour: Bound, seconds: Double = 3600, file: StaticString = #filePath,
        line: UInt = #line
    ) {
        for (seed, offset) in [500.0, -500, 37, -37, 0].enumerated() {
            var scene = scene
            scene.offset = offset
            scene.direction = seed & 1 == 0 ? .reading : .writing
            check(scene, seed: UInt64(seed), minute: minute, hour: hour, seconds: seconds, file: file, line: line)
        }
    }

    func testBlocksOf1024Frames() {
        checkOffsets(
            ClockScene(), minute: Bound(delay: 0.000_4, pitch: 10), hour: Bound(delay: 0.000_25, pitch: 10))
    }

    func testBlocksOf441Frames() {
        checkOffsets(
            ClockScene(appRate: 44_100, quantum: 64, block: 441), minute: Bound(delay: 0.000_4, pitch: 10),
            hour: Bound(delay: 0.000_25, pitch: 10), seconds: 1200)
    }

    func testBlocksOf32Frames() {
        checkOffsets(
            ClockScene(graphRate: 96_000, quantum: 16, block: 32), minute: Bound(delay: 0.000_4, pitch: 10),
            hour: Bound(delay: 0.000_25, pitch: 10), seconds: 180)
    }

    /// A block is 128 ms long.
    func testBlocksOf1024FramesAt8kHz() {
        checkOffsets(
            ClockScene(graphRate: 44_100, appRate: 8000, quantum: 8192),
            minute: Bound(delay: 0.000_5, pitch: 15), hour: Bound(delay: 0.000_35, pitch: 10))
    }

    func testBlocksOf10000Frames() {
        checkOffsets(
            ClockScene(block: 10_000), minute: Bound(delay: 0.001, pitch: 20),
            hour: Bound(delay: 0.000_5, pitch: 15))
    }

    /// A block is 1.25 s long.
    func testBlocksOf10000FramesAt8kHz() {
        checkOffsets(
            ClockScene(appRate: 8000, block: 10_000), minute: Bound(delay: 0.001_5, pitch: 30),
            hour: Bound(delay: 0.001, pitch: 15))
    }

    func testBlocksOfAnyLength() {
        for (seed, direction) in [ClockMatcher.Direction.reading, .writing].enumerated() {
            var random = SeededGenerator(seed: UInt64(seed))
            var simulation = ClockSimulation(
                ClockScene(direction: direction, block: 2000, offset: 200), seed: UInt64(seed))
            for step in 0..<60_000 {
                if step == 6000 { simulation.startFindings() }
                simulation.scene.block = Int.random(in: 1...2000, using: &random)
                simulation.call()
            }
            XCTAssertEqual(simulation.findings.losses, 0)
            XCTAssertEqual(simulation.findings.moves, 0)
            XCTAssertLessThan(simulation.findings.pitch, 10)
            XCTAssertLessThan(simulation.findings.delay, 0.000_25)
        }
    }

    func testClocksThatDrift() {
        for (seed, block) in [441, 1024, 1024, 10_000].enumerated() {
            let direction: ClockMatcher.Direction = seed & 1 == 0 ? .reading : .writing
            let bound = Bound(delay: 0.001_5, pitch: 35)
            check(
                ClockScene(direction: direction, block: block, drift: 1), seed: UInt64(seed), minute: bound,
                hour: bound)
        }
    }

    /// A crystal that warms up slowly.
    func testClocksThatDriftLittle() {
        check(
            ClockScene(offset: -200, drift: 0.1), seed: 1, minute: Bound(delay: 0.000_4, pitch: 10),
            hour: Bound(delay: 0.000_25, pitch: 10))
    }

    /// The longer the tail of what is random, the more often it looks like a jump.
    func testAGraphThatWakesUpLate() {
        for seed in 0..<8 as Range<UInt64> {
            var simulation = ClockSimulation(ClockScene(block: 10_000, offset: 300, wakeUp: 0.001), seed: seed)
            simulation.run(seconds: 60)
            simulation.startFindings()
            simulation.run(seconds: 3540)
            XCTAssertEqual(simulation.findings.losses, 0, "seed \(seed): \(simulation.findings)")
            XCTAssertEqual(simulation.findings.moves, 0, "seed \(seed): \(simulation.findings)")
            XCTAssertLessThan(simulation.findings.delay, 0.002_5, "seed \(seed): \(simulation.findings)")
        }
    }

    func testClocksWithLittleJitterAreMatchedSooner() {
        var simulation = ClockSimulation(
            ClockScene(offset: 500, jitter: 0.000_05, wakeUp: 0.000_02, hasStalls: false), seed: 1)
        simulation.run(seconds: 10)
        simulation.startFindings()
        simulation.run(seconds: 50)
        XCTAssertLessThan(simulation.findings.pitch, 15)
        XCTAssertLessThan(simulation.findings.delay, 0.000_1)
    }
}
