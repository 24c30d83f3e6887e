// SPDX-License-Identifier: MIT
import AudioKernels
import XCTest

/// What happens after two minutes of quiet.
final class ClockMatcherAccidentTests: XCTestCase {
    private static let scenes = [
        ClockScene(quantum: 1024, block: 1024, offset: 300),
        ClockScene(direction: .writing, appRate: 44_100, quantum: 64, block: 441, offset: -300),
        ClockScene(graphRate: 44_100, quantum: 256, block: 32, offset: -300),
        ClockScene(direction: .writing, appRate: 8000, quantum: 8192, block: 1024, offset: 300),
        ClockScene(graphRate: 96_000, quantum: 8192, block: 10_000, offset: 300),
        ClockScene(direction: .writing, appRate: 8000, quantum: 1024, block: 10_000, offset: -300),
    ]

    /// All after two minutes, made once.
    private static let simulations = scenes.enumerated().map { seed, scene in
        var simulation = ClockSimulation(scene, seed: UInt64(seed))
        simulation.run(seconds: 120)
        return simulation
    }

    /// - Parameters:
    ///   - moves: number of changes of the ring position that are right.
    ///   - pitch: allowed deviation, in parts per million.
    private func check(
        moves: ClosedRange<Int>, pitch: Double, file: StaticString = #filePath, line: UInt = #line,
        accident: (inout ClockSimulation) -> Void
    ) {
        for simulation in Self.simulations {
            var simulation = simulation
            accident(&simulation)
            simulation.startFindings()
            let scene = simulation.scene
            // Blocks of 1.25 s need three.
            let end = max(2, 3.5 * Double(scene.block) / scene.appRate)
            simulation.run(seconds: end + 2)
            let text = "\(scene): \(simulation.findings)"
            XCTAssertLessThan(simulation.findings.lockTime, end, text, file: file, line: line)
            XCTAssert(moves.contains(simulation.findings.moves), text, file: file, line: line)
            XCTAssertLessThan(simulation.findings.pitch, pitch, text, file: file, line: line)
            XCTAssertLessThan(simulation.findings.step, 501, text, file: file, line: line)
            simulation.run(seconds: 5)
            simulation.startFindings()
            simulation.run(seconds: 10)
            let later = "\(scene), later: \(simulation.findings)"
            XCTAssertEqual(simulation.findings.losses, 0, later, file: file, line: line)
            XCTAssertEqual(simulation.findings.moves, 0, later, file: file, line: line)
            XCTAssertLessThan(simulation.findings.delay, 0.002, later, file: file, line: line)
            XCTAssertLessThan(simulation.findings.pitch, 100, later, file: file, line: line)
        }
    }

    func testQuiet() { check(moves: 0...0, pitch: 15) { _ in } }

    func testThePauseOfAnApp() {
        for seconds in [0.1, 0.3, 3.1, 2000] { check(moves: 1...2, pitch: 1000) { $0.pauseApp(seconds: seconds) } }
    }

    func testAHoldUp() { check(moves: 0...0, pitch: 15) { $0.holdUp(seconds: 0.1) } }

    func testAGraphThatIsLater() {
        for seconds in [0.01, -0.01, 0.1, -0.1, 0.7, -0.7] {
            check(moves: 1...2, pitch: 1000) { $0.delayGraph(seconds: seconds) }
        }
    }

    /// The ratio makes up for it: three cents of pitch, for a second.
    func testAGraphThatIsALittleLater() {
        for seconds in [0.002, -0.002, 0.003, -0.003] {
            check(moves: 0...0, pitch: 2600) { $0.delayGraph(seconds: seconds) }
        }
    }

    func testAnotherPositionOfTheGraph() {
        for frames in [3000, -3000, 1 << 39, -(1 << 39)] as [Int64] {
            check(moves: 1...2, pitch: 1000) { $0.moveGraph(frames: frames) }
        }
    }

    func testAnotherPositionOfTheApp() {
        for frames in [4000, -4000, 1 << 39, -(1 << 33) - 7] as [Int64] {
            // For a fifth of a second it may look as if the app were late.
            check(moves: 0...2, pitch: 1000) { $0.moveApp(frames: frames) }
        }
    }

    func testAnotherQuantum() {
        for quantum in [16, 8192] { check(moves: 0...0, pitch: 15) { $0.changeQuantum(to: quantum) } }
    }

    func testOtherBlocks() {
        for block in [100, 9000] { check(moves: 0...0, pitch: 20) { $0.scene.block = block } }
    }

    func testReset() {
        check(moves: 1...1, pitch: 1000) { $0.matcher.reset(keepingRate: true) }
        check(moves: 1...1, pitch: 1500) { $0.matcher.reset(keepingRate: false) }
    }

    /// What was found of the clocks outlives a pause.
    func testTheRateIsKept() {
        var simulation = ClockSimulation(ClockScene(offset: 400), seed: 1)
        simulation.run(seconds: 120)
        simulation.matcher.reset(keepingRate: true)
        simulation.startFindings()
        simulation.run(seconds: 10)
        XCTAssertLessThan(simulation.findings.pitch, 30)
    }

    /// Another device that nobody speaks of. A loop that is certain of itself must not stay so.
    func testAnotherRate() {
        for change in [100.0, 300, 600] {
            for simulation in Self.simulations {
                var simulation = simulation
                simulation.scene.offset += simulation.scene.offset < 0 ? change : -change
                simulation.startFindings()
                simulation.run(seconds: 150)
                let text = "\(simulation.scene): \(simulation.findings)"
                // With blocks of 1.25 s the delay is off by 5 ms before enough of them have come.
                let isSlow = Double(simulation.scene.block) / simulation.scene.appRate > 1
                XCTAssertLessThan(simulation.findings.delay, isSlow ? 0.006 : 0.005, text)
                XCTAssertLessThanOrEqual(simulation.findings.moves, isSlow ? 3 : 0, text)
                XCTAssertLessThan(simulation.findings.pitch, 2600, text)
                XCTAssertLessThan(simulation.findings.lockTime, 90, text)
                simulation.startFindings()
                simulation.run(seconds: 30)
                let later = "\(simulation.scene), later: \(simulation.findings)"
                XCTAssertLessThan(simulation.findings.delay, 0.0025, later)
                XCTAssertLessThan(simulation.findings.pitch, 200, later)
            }
        }
    }

    func testTheFractionCounts() {
        var errors: [Double] = []
        for fraction in [0, 0.75] {
            var matcher = ClockMatcher(.reading, graphRate: 48_000, appRate: 48_000, target: 0.01)
            matcher.noteGraph(position: 0, nanoseconds: 1_000_000_000)
            for step in 0..<2 as Range<Int64> {
                _ = matcher.noteApp(
                    position: 480 * step, ringPosition: 480 * (step - 1), fraction: fraction,
                    nanoseconds: 1_000_000_000 + 10_000_000 * UInt64(step))
            }
            errors.append(matcher.delayError)
        }
        XCTAssertEqual(errors[0], 0, accuracy: 1e-6)
        XCTAssertEqual(errors[1], -0.75, accuracy: 1e-6)
    }

    func testASilentGraphIsNoLock() {
        var matcher = ClockMatcher(.reading, graphRate: 48_000, appRate: 48_000, target: 0.05)
        var ring: Int64 = 0
        for number in 0..<1000 as Range<Int64> {
            let time = 1_000_000_000 + UInt64(number) * 10_000_000
            if number < 500 { matcher.noteGraph(position: number * 480, nanoseconds: time) }
            let move = matcher.noteApp(position: number * 480, ringPosition: ring, fraction: 0, nanoseconds: time)
            ring += Int64(move) + 480
            XCTAssertEqual(matcher.isLocked, 1..<699 ~= number, "\(number)")
            XCTAssertEqual(move, number == 0 ? -2400 : 0)
            XCTAssertEqual(matcher.ratio, 1, accuracy: 1e-12)
        }
    }
}
