// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// The app's time, whatever PipeWire's clocks do.
final class GraphTimelineTests: XCTestCase {
    private var rig = TimelineRig()

    func testOnTheFirstClockAPositionIsPipeWires() {
        XCTAssertEqual(rig.come(at: 1_000_000, milliseconds: 500), GraphMoment(position: 1_000_000, clock: 1))
        XCTAssertEqual(rig.come(at: 1_000_480, milliseconds: 510), GraphMoment(position: 1_000_480, clock: 1))
        // Missed, or not connected for a while.
        XCTAssertEqual(rig.come(at: 1_001_440, milliseconds: 530), GraphMoment(position: 1_001_440, clock: 1))
        XCTAssertEqual(rig.come(at: 20_201_440, milliseconds: 400_530), GraphMoment(position: 20_201_440, clock: 1))
        // A device's clock and the system's never quite agree.
        XCTAssertEqual(rig.come(at: 44_211_440, milliseconds: 900_530), GraphMoment(position: 44_211_440, clock: 1))
    }

    func testARepeatedPositionIsTheSameTime() {
        for number in 1...100 as ClosedRange<UInt64> {
            let (position, time) = (number * 960, 500 + 20 * Double(number))
            for late in [0.0, 0, 9] {
                XCTAssertEqual(rig.come(at: position, milliseconds: time + late).position, position)
            }
        }
        XCTAssertEqual(rig.come(at: 96_480, milliseconds: 2510).clock, 1)
    }

    func testAnotherClockGoesOnByTheTimeThatPassed() {
        XCTAssertEqual(rig.come(at: 1000, milliseconds: 500).position, 1000)
        XCTAssertEqual(rig.come(at: 960_000, milliseconds: 530, id: 2), GraphMoment(position: 2440, clock: 2))
        XCTAssertEqual(rig.come(at: 960_480, milliseconds: 540, id: 2), GraphMoment(position: 2920, clock: 2))
        // The first one stood still meanwhile, or went on: that is not known.
        XCTAssertEqual(rig.come(at: 1480, milliseconds: 560), GraphMoment(position: 3880, clock: 3))
        // At another rate: from the end of the last cycle on, which took 10 ms.
        rig.rate = 96_000
        XCTAssertEqual(rig.come(at: 7, milliseconds: 1560, id: 4), GraphMoment(position: 99_400, clock: 4))
    }

    /// A clock that begins before the last cycle is over begins where that ends. The next one makes up for it.
    func testEarlyClocksDoNotGetAheadOfTheTime() {
        _ = rig.come(at: 0, milliseconds: 500)
        // Two nodes, of which one is already driven by the other device, in alternation.
        for number in 1...10 as ClosedRange<UInt64> {
            let moment = rig.come(at: number, milliseconds: 500, id: UInt32(number % 2) + 2)
            XCTAssertEqual(moment, GraphMoment(position: number * 480, clock: UInt32(number) + 1))
        }
        XCTAssertEqual(rig.come(at: 50_000, milliseconds: 510, id: 9).position, 5280)
        XCTAssertEqual(rig.come(at: 0, milliseconds: 2500, id: 8).position, 96_000, "two seconds from the start")
    }

    func testEachSessionHasItsClock() {
        _ = rig.come(at: 48_000, milliseconds: 1000)
        rig.endSession()
        // As if nothing had happened: a daemon may count from the start of the computer.
        XCTAssertEqual(rig.come(at: 96_000, milliseconds: 2000), GraphMoment(position: 96_000, clock: 2))
        rig.endSession()
        rig.endSession()
        XCTAssertEqual(rig.come(at: 0, milliseconds: 5000), GraphMoment(position: 240_000, clock: 3))
    }

    func testAPositionThatDecreasesIsAnotherClocks() {
        _ = rig.come(at: 960_000, milliseconds: 500)
        XCTAssertEqual(rig.come(at: 0, milliseconds: 600), GraphMoment(position: 964_800, clock: 2))
        XCTAssertEqual(rig.come(at: 480, milliseconds: 610), GraphMoment(position: 965_280, clock: 2))
    }

    /// PipeWire's position goes on, moved by less than a cycle in either direction.
    func testAnotherRateIsAnotherClock() {
        _ = rig.come(at: 48_000, milliseconds: 500)
        rig.rate = 96_000
        XCTAssertEqual(rig.come(at: 48_224, milliseconds: 510), GraphMoment(position: 48_480, clock: 2))
        XCTAssertEqual(rig.come(at: 48_704, milliseconds: 515), GraphMoment(position: 48_960, clock: 2))
        rig.rate = 44_100
        // 5 ms of the last cycle, and 100 ms of 44.1 kHz.
        XCTAssertEqual(rig.come(at: 50_000, milliseconds: 620), GraphMoment(position: 49_440 + 4410, clock: 3))
        XCTAssertEqual(rig.timeline.end, 49_440 + 4410 + 480)
    }

    /// What a clock was early by is made up for, at whatever rate.
    func testAnEarlyClockOfAnotherRate() {
        _ = rig.come(at: 0, milliseconds: 500)
        // 5 ms early.
        XCTAssertEqual(rig.come(at: 7, milliseconds: 505, id: 2), GraphMoment(position: 480, clock: 2))
        rig.rate = 96_000
        // 20 ms after the end of a cycle of 10 ms, less 5 ms.
        XCTAssertEqual(rig.come(at: 9, milliseconds: 535, id: 2), GraphMoment(position: 960 + 1440, clock: 3))
    }

    func testADriverThatStoodStillHasAnotherClock() {
        _ = rig.come(at: 1000, milliseconds: 500)
        XCTAssertEqual(rig.come(at: 1480, milliseconds: 2500), GraphMoment(position: 97_000, clock: 2))
        XCTAssertEqual(rig.come(at: 1960, milliseconds: 2510), GraphMoment(position: 97_480, clock: 2))
        // Also if its position stands still with it, or goes too far.
        XCTAssertEqual(rig.come(at: 1960, milliseconds: 3510), GraphMoment(position: 145_480, clock: 3))
        XCTAssertEqual(rig.come(at: 400_000, milliseconds: 3520), GraphMoment(position: 145_960, clock: 4))
        // Less than 100 ms may be a late driver. It makes up for that.
        XCTAssertEqual(rig.come(at: 400_480, milliseconds: 3625), GraphMoment(position: 146_440, clock: 4))
        XCTAssertEqual(rig.come(at: 400_960, milliseconds: 3626), GraphMoment(position: 146_920, clock: 4))
    }

    func testLongCyclesAreLessPunctual() {
        rig.frames = 8192
        _ = rig.come(at: 0, milliseconds: 500)
        XCTAssertEqual(rig.come(at: 8192, milliseconds: 1000).clock, 1)
        XCTAssertEqual(rig.come(at: 16_384, milliseconds: 1600).clock, 2)
    }

    func testWhileFreewheelingThePositionIsTheTime() {
        _ = rig.come(at: 1000, milliseconds: 500)
        // A day in a second.
        XCTAssertEqual(rig.come(at: 7, milliseconds: 510, id: 2, isFreewheeling: true).position, 1480)
        let day: UInt64 = 24 * 3600 * 48_000
        XCTAssertEqual(
            rig.come(at: 7 + day, milliseconds: 1510, id: 2, isFreewheeling: true),
            GraphMoment(position: 1480 + day, clock: 2))
        // Its times may be ahead of the system's. Its last cycle is over in no time.
        _ = rig.come(at: 487 + day, milliseconds: 90_000_000, id: 2, isFreewheeling: true)
        XCTAssertEqual(rig.come(at: 2000, milliseconds: 1511).position, 2440 + day)
        XCTAssertEqual(rig.come(at: 2480, milliseconds: 1521).clock, 3)
        // In the other direction it is the same.
        XCTAssertEqual(rig.come(at: 5, milliseconds: 2521, id: 4).position, 2920 + day + 48_000)
    }

    func testADriverWithoutTimes() {
        XCTAssertEqual(rig.come(at: 1000, milliseconds: 0), GraphMoment(position: 1000, clock: 1))
        XCTAssertEqual(rig.come(at: 1480, milliseconds: 0), GraphMoment(position: 1480, clock: 1))
        XCTAssertEqual(rig.come(at: 1960, milliseconds: 7000), GraphMoment(position: 1960, clock: 1))
        XCTAssertEqual(rig.come(at: 48_000, milliseconds: 0), GraphMoment(position: 48_000, clock: 1))
        XCTAssertEqual(rig.come(at: 5, milliseconds: 0, id: 2), GraphMoment(position: 48_480, clock: 2))
    }

    func testTimelinesOfOneAppShareNoClock() {
        let other = rig.makeOther()
        XCTAssertEqual(rig.come(at: 100, milliseconds: 500).clock, 1)
        XCTAssertEqual(other.come(at: 100, milliseconds: 500), GraphMoment(position: 100, clock: 2))
        XCTAssertEqual(rig.come(at: 1, milliseconds: 510).clock, 3)
        XCTAssertEqual(other.come(at: 1, milliseconds: 510).clock, 4)
    }
}
