// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class CycleTrackerTests: XCTestCase {
    private var tracker = CycleTracker()

    private func advance(
        to position: UInt64, clock: UInt32 = 1, rate: Int = 48000, frames: Int = 256, connectionEpoch: UInt64 = 1,
        nanoseconds: UInt64 = 0
    ) -> CycleTracker.Gap {
        tracker.advance(
            to: GraphMoment(position: position, clock: clock), nanoseconds: nanoseconds, sampleRate: rate,
            frameCount: frames, connectionEpoch: connectionEpoch)
    }

    func testTheFirstCycleContinuesNothing() {
        let gap = advance(to: 1000)
        XCTAssertTrue(gap.isDiscontinuous)
        XCTAssertEqual(gap.missedFrames, 0)
    }

    func testCyclesInARowHaveNoGapWhateverTheQuantum() {
        _ = advance(to: 0, frames: 256)
        XCTAssertFalse(advance(to: 256, frames: 16).isDiscontinuous)
        XCTAssertFalse(advance(to: 272, frames: 8192).isDiscontinuous)
        XCTAssertFalse(advance(to: 8464, frames: 1000).isDiscontinuous)
    }

    func testALostCycleIsCountedInFrames() {
        _ = advance(to: 0)
        let gap = advance(to: 256 + 512)
        XCTAssertTrue(gap.isDiscontinuous)
        XCTAssertEqual(gap.missedFrames, 512)
        XCTAssertFalse(advance(to: 256 + 512 + 256).isDiscontinuous)
    }

    func testARepeatedPositionIsDiscontinuousButMissesNothing() {
        _ = advance(to: 512)
        let gap = advance(to: 512)
        XCTAssertTrue(gap.isDiscontinuous)
        XCTAssertEqual(gap.missedFrames, 0)
    }

    func testAnotherClockStartsElsewhereAndMissesNothing() {
        _ = advance(to: 0)
        let gap = advance(to: 1_000_000, clock: 2)
        XCTAssertTrue(gap.isDiscontinuous)
        XCTAssertEqual(gap.missedFrames, 0)
    }

    func testAnotherRateIsDiscontinuous() {
        _ = advance(to: 0)
        XCTAssertTrue(advance(to: 256, rate: 96000).isDiscontinuous)
    }

    func testTimeUnconnectedIsNotMissed() {
        _ = advance(to: 0, connectionEpoch: 1)
        let gap = advance(to: 100_000, connectionEpoch: 2)
        XCTAssertTrue(gap.isDiscontinuous)
        XCTAssertEqual(gap.missedFrames, 0)
    }

    /// A driver without work stops, and its position with it.
    func testADriverThatStoodStillIsAPause() {
        _ = advance(to: 480, frames: 480, nanoseconds: 1_000_000_000)
        _ = advance(to: 960, frames: 480, connectionEpoch: 2, nanoseconds: 1_015_000_000)
        XCTAssertFalse(tracker.isAfterPause, "half a cycle late")
        let next = GraphMoment(position: 1440, clock: 1)
        XCTAssertTrue(tracker.isContinued(by: next, nanoseconds: 1_030_000_000, sampleRate: 48_000))
        XCTAssertFalse(tracker.isContinued(by: next, nanoseconds: 1_030_000_001, sampleRate: 48_000))
        XCTAssertTrue(tracker.isContinued(by: next, nanoseconds: 0, sampleRate: 48_000), "not known")
        XCTAssertFalse(tracker.isContinued(by: next, nanoseconds: .max, sampleRate: 48_000))
        _ = advance(to: 1440, frames: 480, connectionEpoch: 3, nanoseconds: 1_030_000_001)
        XCTAssertTrue(tracker.isAfterPause)
        _ = advance(to: 1920, frames: 480, connectionEpoch: 3, nanoseconds: 1_100_000_000)
        XCTAssertFalse(tracker.isAfterPause, "a cycle that began late")
    }

    func testOnlyTimeThatIsNotMissedIsAPause() {
        _ = advance(to: 0)
        _ = advance(to: 256)
        XCTAssertFalse(tracker.isAfterPause)
        _ = advance(to: 256)
        XCTAssertFalse(tracker.isAfterPause, "the same time again")
        _ = advance(to: 10_000)
        XCTAssertFalse(tracker.isAfterPause, "an xrun")
        _ = advance(to: 10_256, connectionEpoch: 2)
        XCTAssertFalse(tracker.isAfterPause, "not one cycle was missing")
        _ = advance(to: 20_000, connectionEpoch: 3)
        XCTAssertTrue(tracker.isAfterPause)
        _ = advance(to: 20_256, connectionEpoch: 3)
        XCTAssertFalse(tracker.isAfterPause)
        _ = advance(to: 20_512, rate: 96_000, connectionEpoch: 3)
        XCTAssertTrue(tracker.isAfterPause, "sound of another rate")
    }

    func testPositionsAtTheEndOfTheirRangeDoNotTrap() {
        _ = advance(to: .max - 10)
        _ = advance(to: 5)
        XCTAssertEqual(advance(to: .max).missedFrames, 1 << 40)
    }
}
