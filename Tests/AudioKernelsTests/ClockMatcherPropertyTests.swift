// SPDX-License-Identifier: MIT
import AudioKernels
import SeededRandom
import XCTest

/// Whatever comes, nothing traps, and the ratio is one that a resampler can use.
final class ClockMatcherPropertyTests: XCTestCase {
    private let rates = [8000.0, 44_100, 48_000, 384_000, 0, -1, .nan, .infinity, 1e300, 1e-300]
    private let extremes: [UInt64] = [0, 1, 1 << 62, 1 << 63, (1 << 63) - 1, .max, .max - 1, 8192, 1 << 56]

    func testNonsenseIsSurvived() {
        for seed in 0..<150 as Range<UInt64> { run(seed) }
    }

    private func run(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (graphRate, appRate) = (rates.randomElement(using: &random)!, rates.randomElement(using: &random)!)
        let direction: ClockMatcher.Direction = Bool.random(using: &random) ? .reading : .writing
        var matcher = ClockMatcher(direction, graphRate: graphRate, appRate: appRate, target: 0.02)
        let nominal = matcher.ratio
        XCTAssert(nominal.isFinite && nominal > 0)
        var times = (graph: UInt64(1) << 40, app: UInt64(1) << 40)
        var positions = (graph: Int64(0), app: Int64(0), ring: Int64(0))
        for step in 0..<1000 {
            if Int.random(in: 0..<20, using: &random) == 0 { spoil(&times.graph, &positions.graph, &random) }
            if Int.random(in: 0..<20, using: &random) == 0 { spoil(&times.app, &positions.app, &random) }
            if Int.random(in: 0..<50, using: &random) == 0 {
                matcher.target = [0.02, -1, 1e300, .nan, .infinity, 0].randomElement(using: &random)!
            }
            if Int.random(in: 0..<100, using: &random) == 0 { matcher.reset(keepingRate: step & 1 == 0) }
            times.graph &+= 10_000_000
            positions.graph &+= 480
            matcher.noteGraph(position: positions.graph, nanoseconds: times.graph)
            times.app &+= 10_000_000
            positions.app &+= 441
            let move = matcher.noteApp(
                position: positions.app, ringPosition: positions.ring,
                fraction: [0, 0.5, .nan, -1e300].randomElement(using: &random)!, nanoseconds: times.app)
            positions.ring &+= Bool.random(using: &random) ? Int64(move) : positions.graph
            XCTAssert(abs(matcher.ratio / nominal - 1) <= 0.010_000_1, "seed \(seed): \(matcher)")
            XCTAssert(matcher.delayError.isFinite, "seed \(seed): \(matcher)")
        }
    }

    private func spoil(_ time: inout UInt64, _ position: inout Int64, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: time = extremes.randomElement(using: &random)!
        case 1: position = Int64(bitPattern: extremes.randomElement(using: &random)!)
        case 2: time = random.next()
        default: position = Int64(bitPattern: random.next())
        }
    }

    /// No clock is that far off.
    func testTheRatioIsClamped() {
        for (graph, app, ratio) in [(9000.0, -9000.0, 1.01), (-9000, 9000, 0.99)] {
            var simulation = ClockSimulation(ClockScene(offset: app, graphOffset: graph), seed: 1)
            simulation.run(seconds: 30)
            for _ in 0..<1000 {
                simulation.call()
                XCTAssertEqual(simulation.matcher.ratio, ratio, accuracy: 0.002)
                XCTAssertLessThanOrEqual(abs(simulation.matcher.ratio - 1), 0.010_000_000_1)
            }
        }
    }

    /// Nothing of it stays.
    func testSenseAfterNonsense() {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var simulation = ClockSimulation(ClockScene(offset: 200), seed: seed)
            simulation.run(seconds: 5)
            for _ in 0..<100 {
                var (time, position) = (random.next(), Int64(bitPattern: random.next()))
                spoil(&time, &position, &random)
                simulation.matcher.noteGraph(position: position, nanoseconds: time)
                spoil(&time, &position, &random)
                _ = simulation.matcher.noteApp(
                    position: position, ringPosition: 0, fraction: 0, nanoseconds: time)
            }
            simulation.startFindings()
            simulation.run(seconds: 4)
            XCTAssertLessThan(simulation.findings.lockTime, 2, "seed \(seed): \(simulation.findings)")
            XCTAssertLessThan(simulation.findings.delay, 0.002, "seed \(seed): \(simulation.findings)")
        }
    }
}
