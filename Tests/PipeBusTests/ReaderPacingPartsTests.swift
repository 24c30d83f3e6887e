// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// The distance of a reader whose intervals are read in parts: a step knows the first part, and the length comes later.
final class ReaderPacingPartsTests: XCTestCase {
    /// A graph and an app, and the pacing between them.
    private struct Rig {
        var pacing = ReaderPacing()
        var fill: Int
        var cycleNumber: UInt64 = 1
        /// The number of the newest cycle at the last step.
        private var lastCycle: UInt64 = 1

        init(block: Int) { fill = pacing.begin(block: block, cycle: 256) }

        mutating func runCycles(_ count: Int) {
            fill += 256 * count
            cycleNumber += UInt64(count)
        }

        mutating func readInterval(_ length: Int, part: Int) -> ReaderPacing.Step {
            let step = pacing.step(
                fill: fill, block: part, cycle: 256, cycleNumber: cycleNumber,
                came: Int(cycleNumber - lastCycle) * 256, sampleRate: 48_000)
            lastCycle = cycleNumber
            fill += step.frames
            pacing.note(interval: length, block: part, fill: fill)
            fill -= length
            return step
        }

        /// Reads an interval of 4800 frames after a cycle, with so many frames there.
        mutating func readInterval(fill: Int) -> ReaderPacing.Step {
            self.fill = fill
            cycleNumber += 1
            return readInterval(4800, part: 480)
        }
    }

    /// An interval of separate lanes is known by its first part, and its length when it ends.
    func testIntervalsInParts() {
        var rig = Rig(block: 480)
        XCTAssertEqual(rig.readInterval(4800, part: 480), .none)
        // The interval was longer than all before.
        rig.runCycles(19)
        XCTAssertEqual(rig.readInterval(4800, part: 480), .hold(4800 + 256 - 736))
        var due = 19 * 256 - 4800
        for _ in 0..<2000 {
            while due >= 4800 {
                due -= 4800
                XCTAssertEqual(rig.readInterval(4800, part: 480), .none)
                XCTAssertGreaterThanOrEqual(rig.fill, 0)
            }
            rig.runCycles(1)
            due += 256
        }
    }

    /// What is missing of a part that is not the first one is heard too: once it is a hiccup, then it is waited for.
    func testAnIntervalInPartsThatIsLateTwice() {
        var rig = Rig(block: 4800)
        XCTAssertEqual(rig.readInterval(fill: 4000), .none)
        // The first one is noted here.
        XCTAssertEqual(rig.readInterval(fill: 4100), .none)
        // 800 frames were missing at the worst moment; and 2 ms are added.
        XCTAssertEqual(rig.readInterval(fill: 4200), .hold(800 + 96))
    }

    /// A second of frames that are asked for is a second of intervals, and not of their first parts.
    func testLateIntervalsThatAreASecondApart() {
        for seconds in [0.8, 1.5] {
            var rig = Rig(block: 4800)
            XCTAssertEqual(rig.readInterval(fill: 4000), .none)
            for _ in 0..<Int(seconds * 10) { XCTAssertEqual(rig.readInterval(fill: 5000), .none) }
            XCTAssertEqual(rig.readInterval(fill: 4000), .none)
            XCTAssertEqual(rig.readInterval(fill: 5000), seconds < 1 ? .hold(800 + 96) : .none)
        }
    }
}
