// SPDX-License-Identifier: MIT
import AudioKernels
import XCTest

/// The first seconds.
final class ClockMatcherLockTests: XCTestCase {
    private let rates = [8000.0, 44_100, 48_000, 96_000, 384_000]

    private func check(_ scene: ClockScene, seed: UInt64, isHeldUp: Bool = false) {
        var simulation = ClockSimulation(scene, seed: seed)
        if isHeldUp { simulation.holdUp(seconds: 0.05) }
        simulation.run(seconds: max(2.5, 3 * Double(scene.block) / scene.appRate))
        let findings = simulation.findings
        let text = "\(scene): \(findings)"
        // A block of more than a second ends before it.
        XCTAssertLessThan(findings.lockTime, isHeldUp ? 0.5 : 1.3, text)
        XCTAssertEqual(findings.losses, 0, text)
        XCTAssertLessThan(findings.delay, scene.block <= 1024 ? 0.0015 : 0.002_5, text)
        XCTAssertLessThan(findings.pitch, 2500, text)
        XCTAssertLessThan(findings.step, 501, text)
        guard !isHeldUp else { return }
        XCTAssertEqual(findings.moves, 1, text)
        if scene.direction == .reading { XCTAssertEqual(findings.underruns, 0, text) }
    }

    private func checkAll(block: Int, appRates: [Double]) {
        var seed = UInt64(block)
        for quantum in [16, 64, 256, 1024, 8192] {
            for graphRate in [44_100.0, 48_000, 96_000] {
                for appRate in appRates {
                    for offset in [-500.0, 500] {
                        seed += 1
                        check(
                            ClockScene(
                                direction: seed / 2 & 1 == 0 ? .reading : .writing, graphRate: graphRate,
                                appRate: appRate, quantum: quantum, block: block, offset: offset), seed: seed)
                    }
                }
            }
        }
    }

    func testBlocksOfOneFrame() { checkAll(block: 1, appRates: [8000]) }

    func testBlocksOfOneFrameAtAHighRate() {
        check(ClockScene(quantum: 256, block: 1, offset: -500), seed: 3)
        check(ClockScene(direction: .writing, appRate: 384_000, quantum: 16, block: 1, offset: 500), seed: 4)
    }

    func testBlocksOf32Frames() { checkAll(block: 32, appRates: rates) }

    func testBlocksOf441Frames() { checkAll(block: 441, appRates: rates) }

    func testBlocksOf1024Frames() { checkAll(block: 1024, appRates: rates) }

    func testBlocksOf10000Frames() { checkAll(block: 10_000, appRates: rates) }

    /// Then the first events are wrong by up to 50 ms.
    func testAStartWhileTheAppIsHeldUp() {
        for seed in 0..<50 as Range<UInt64> {
            check(ClockScene(block: seed & 1 == 0 ? 441 : 1024, offset: 300), seed: seed, isHeldUp: true)
        }
    }

    /// Right is what is right of both clocks together.
    func testAGraphThatIsOffToo() {
        for (graph, app) in [(500.0, -500.0), (-500, 500), (500, 500)] {
            var simulation = ClockSimulation(ClockScene(offset: app, graphOffset: graph), seed: 1)
            simulation.run(seconds: 120)
            XCTAssertLessThan(simulation.findings.lockTime, 1)
            simulation.startFindings()
            simulation.run(seconds: 60)
            XCTAssertLessThan(simulation.findings.pitch, 10)
            XCTAssertLessThan(simulation.findings.delay, 0.000_5)
        }
    }
}
