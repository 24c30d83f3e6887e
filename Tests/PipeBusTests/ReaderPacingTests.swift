// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// The distance of a reader from the graph.
final class ReaderPacingTests: XCTestCase {
    /// A graph and an app, and the pacing between them.
    private struct Rig {
        var pacing = ReaderPacing()
        var fill = 0
        var cycle = 256
        var cycleNumber: UInt64 = 1
        /// Number of frames since the last read.
        var came = 0

        init(block: Int, cycle: Int = 256) {
            self.cycle = cycle
            fill = pacing.begin(block: block, cycle: cycle)
        }

        /// - Parameter missed: number of frames that the port missed before it.
        mutating func runCycle(missed: Int = 0) {
            fill += missed + cycle
            came += missed + cycle
            cycleNumber += 1
        }

        mutating func read(_ block: Int) -> ReaderPacing.Step {
            let step = pacing.step(
                fill: fill, block: block, cycle: cycle, cycleNumber: cycleNumber, came: came, sampleRate: 48_000)
            came = 0
            switch step {
            case .none: break
            case .hold(let frames): fill += frames
            case .skip(let frames): fill -= frames
            }
            fill -= block
            return step
        }
    }

    func testItBeginsWithABlockAndACycle() {
        for (block, cycle, fill) in [
            (1, 16, 32), (64, 256, 512), (256, 256, 512), (1000, 256, 1256), (10_000, 8192, 18_192),
        ] {
            XCTAssertEqual(Rig(block: block, cycle: cycle).fill, fill)
        }
    }

    func testNothingIsDoneWhileBothKeepPace() {
        for block in [1, 64, 100, 256, 1000, 10_000] {
            var rig = Rig(block: block)
            // It begins with a read.
            var due = block
            for _ in 0..<2000 {
                while due >= block {
                    due -= block
                    XCTAssertEqual(rig.read(block), .none, "\(block)")
                    XCTAssertGreaterThanOrEqual(rig.fill, 0)
                }
                rig.runCycle()
                due += 256
            }
        }
    }

    func testALongerBlockOrCycleIsWaitedFor() {
        var rig = Rig(block: 256)
        XCTAssertEqual(rig.read(1000), .hold(744))
        rig.cycle = 1024
        XCTAssertEqual(rig.read(1000), .hold(2048 - 1256))
        XCTAssertEqual(rig.read(64), .none)
    }

    func testOneLateBlockIsAHiccupAndASecondOneIsNot() {
        var rig = Rig(block: 256)
        rig.fill = 100
        XCTAssertEqual(rig.read(256), .none)
        // No cycle has come since: the graph is late, and not the place wrong.
        XCTAssertEqual(rig.read(256), .none)
        rig.runCycle()
        // 412 frames were missing of the second block, and of this one as many; and 2 ms are added.
        XCTAssertEqual(rig.read(256), .hold(412 + 96))
        // More than a second later it is the first one again.
        rig.fill = 100_000
        XCTAssertEqual(rig.read(256), .skip(100_000 - 512))
        for _ in 0..<200 {
            rig.runCycle()
            XCTAssertEqual(rig.read(256), .none)
        }
        rig.fill = 0
        XCTAssertEqual(rig.read(256), .none)
    }

    /// The graph has lost frames, so that the fill is at its least; the app wakes a little early at times.
    func testAJitterThatGrowsSlowlyIsHeardOnce() {
        var rig = Rig(block: 480)
        rig.fill = 480
        var lateBlocks = 0
        for cycle in 0..<1000 {
            // Each worst moment is a little worse than the one before: up to 40 frames, which is 0.8 ms.
            let early = cycle.isMultiple(of: 10) ? cycle / 25 : 0
            rig.fill -= early
            if rig.fill < 480 { lateBlocks += 1 }
            _ = rig.read(480)
            rig.fill += early
            rig.fill += 480
            rig.came += 480
            rig.cycleNumber += 2
        }
        XCTAssertEqual(lateBlocks, 2)
    }

    func testMoreThanIsNeededForASecondIsLeftOut() {
        var rig = Rig(block: 256)
        rig.fill += 1000
        var skipped = 0
        for _ in 0..<400 {
            rig.runCycle()
            if case .skip(let frames) = rig.read(256) { skipped += frames }
        }
        XCTAssertEqual(skipped, 1256)
        XCTAssertEqual(rig.pacing.target, 512)
    }

    func testAfterAPauseOfTheAppTheRestIsLeftOutSoon() {
        for pause in [8, 20, 60] {
            var rig = Rig(block: 256)
            // It begins with a read.
            XCTAssertEqual(rig.read(256), .none)
            for _ in 0..<1000 {
                rig.runCycle()
                XCTAssertEqual(rig.read(256), .none)
            }
            for _ in 0..<pause { rig.runCycle() }
            var (skipped, cycles) = (0, 0)
            while skipped == 0, cycles < 100 {
                rig.runCycle()
                cycles += 1
                if case .skip(let frames) = rig.read(256) { skipped += frames }
            }
            // A tenth of a second.
            XCTAssertLessThanOrEqual(cycles, 20, "\(pause)")
            XCTAssertEqual(skipped, 256 * pause)
            for _ in 0..<1000 {
                rig.runCycle()
                XCTAssertEqual(rig.read(256), .none)
            }
        }
    }

    /// A pause costs what came in it if the app goes on at the graph's pace, and nothing if it catches up, whatever its length.
    func testAPauseCostsItsLengthOrNothing() {
        for pause in [93, 94, 186, 188, 400, 4000] {
            for block in [64, 256, 480] {
                for catchesUp in [true, false] {
                    var rig = Rig(block: block)
                    var (due, skipped) = (block, 0)
                    for number in 0..<(200 + pause + 400) {
                        let isPause = number >= 200 && number < 200 + pause
                        while !isPause, due >= block {
                            due -= block
                            switch rig.read(block) {
                            case .none: break
                            case .skip(let frames): skipped += frames
                            case .hold: XCTFail("\(pause) cycles")
                            }
                            XCTAssertGreaterThanOrEqual(rig.fill, 0)
                        }
                        rig.runCycle()
                        if catchesUp || !isPause { due += 256 }
                    }
                    if catchesUp {
                        XCTAssertEqual(skipped, 0, "\(pause) cycles")
                    } else {
                        XCTAssertLessThanOrEqual(abs(skipped - 256 * pause), 256, "\(pause) cycles")
                    }
                }
            }
        }
    }

    /// An app that reads at three times the graph's pace after a pause catches up too.
    func testSlowCatchingUpLosesNothing() {
        var rig = Rig(block: 256)
        for _ in 0..<200 {
            XCTAssertEqual(rig.read(256), .none)
            rig.runCycle()
        }
        for _ in 0..<150 { rig.runCycle() }
        for number in 0..<600 {
            XCTAssertEqual(rig.read(256), .none)
            if number >= 225 || number % 3 == 2 { rig.runCycle() }
        }
    }

    /// After its process was stopped one cycle comes that follows many missed ones, before or after the app has caught up.
    func testAStoppedProcessCatchesUp() {
        for (missed, isCycleFirst) in [(20_000, true), (72_000, true), (72_000, false), (500_000, true)] {
            var rig = Rig(block: 256)
            XCTAssertEqual(rig.read(256), .none)
            for _ in 0..<200 {
                rig.runCycle()
                XCTAssertEqual(rig.read(256), .none)
            }
            if isCycleFirst { rig.runCycle(missed: missed) }
            for _ in 0..<(missed / 256) { XCTAssertEqual(rig.read(256), .none, "\(missed)") }
            if !isCycleFirst { rig.runCycle(missed: missed) }
            for _ in 0..<800 {
                XCTAssertEqual(rig.read(256), .none, "\(missed)")
                rig.runCycle()
            }
        }
    }

    /// Frames that nobody says came: the time has jumped.
    func testAJumpOfTimeIsLeftOutAtOnce() {
        var rig = Rig(block: 256)
        XCTAssertEqual(rig.read(256), .none)
        rig.runCycle()
        rig.fill += 100_000
        XCTAssertEqual(rig.read(256), .skip(100_000))
    }

    /// An app that makes up for its pauses loses nothing but what it does not need: a cycle at the beginning.
    func testBurstsAreNoPauses() {
        for (cycles, block) in [(8, 256), (40, 64)] {
            var rig = Rig(block: block)
            var (due, skipped) = (0, 0)
            for number in 0..<8000 {
                rig.runCycle()
                due += 256
                guard number % cycles == cycles - 1 else { continue }
                while due >= block {
                    due -= block
                    switch rig.read(block) {
                    case .none: break
                    case .skip(let frames): skipped += frames
                    case .hold: XCTFail("\(cycles) cycles")
                    }
                    XCTAssertGreaterThanOrEqual(rig.fill, 0)
                }
            }
            XCTAssertLessThanOrEqual(skipped, 256, "\(cycles) cycles")
        }
    }

    func testNonsenseIsSurvived() {
        var pacing = ReaderPacing()
        for fill in [-1 << 40, -1, 0, 1, 1 << 40] {
            for block in [1, 10_000, 1 << 30] {
                for cycle in [0, 1, 8192] {
                    _ = pacing.step(fill: fill, block: block, cycle: cycle, cycleNumber: 0, came: 0, sampleRate: 0)
                    _ = pacing.step(
                        fill: fill, block: block, cycle: cycle, cycleNumber: .max, came: 1 << 40, sampleRate: 384_000)
                }
            }
        }
    }
}
