// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class CycleTrackerTests: XCTestCase {
    private var tracker = CycleTracker()

    private func advance(
        to position: UInt64, clock: UInt32 = 1, rate: Int = 48000, frames: Int = 256, connectionEpoch: UInt64 = 1
    ) -> CycleTracker.Gap {
        tracker.advance(
            to: GraphMoment(position: position, clock: clock), sampleRate: rate, frameCount: frames,
            connectionEpoch: connectionEpoch)
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

    func testPositionsAtTheEndOfTheirRangeDoNotTrap() {
        _ = advance(to: .max - 10)
        _ = advance(to: 5)
        XCTAssertEqual(advance(to: .max).missedFrames, 1 << 40)
    }
}
