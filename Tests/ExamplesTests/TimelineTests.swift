// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import track_recorder

/// The places of cycles in a recording, whatever their clocks.
final class TimelineTests: XCTestCase {
    /// A timeline at 48 kHz, and what is given to it.
    private struct Rig {
        var timeline = Timeline()
        var frames = 480

        mutating func place(
            _ position: UInt64, clock: UInt32 = 1, milliseconds: Double, isFreewheeling: Bool = false
        ) -> Int64 {
            timeline.place(
                clock: GraphClock(id: clock), position: position, frameCount: frames, sampleRate: 48_000,
                time: UInt64(milliseconds * 1_000_000), isFreewheeling: isFreewheeling)
        }
    }

    func testOnOneClockAPlaceIsThePosition() {
        var rig = Rig()
        XCTAssertEqual(rig.place(1_000_000, milliseconds: 500), 1_000_000)
        XCTAssertEqual(rig.place(1_000_480, milliseconds: 510), 1_000_480)
        // Missed, or not connected for a while.
        XCTAssertEqual(rig.place(1_001_440, milliseconds: 530), 1_001_440)
        XCTAssertEqual(rig.place(9_001_440, milliseconds: 400_530), 9_001_440)
        // The system's clock and the device's never quite agree.
        XCTAssertEqual(rig.place(33_002_400, milliseconds: 900_530), 33_002_400)
    }

    func testAPositionThatComesTwiceIsTheSameTime() {
        var rig = Rig()
        _ = rig.place(1_000_000, milliseconds: 500)
        for number in 1...1000 {
            let position = 1_000_000 + UInt64(number) * 960
            let time = 500 + 20 * Double(number)
            XCTAssertEqual(rig.place(position, milliseconds: time), Int64(position))
            XCTAssertEqual(rig.place(position, milliseconds: time), Int64(position))
            // Its time may have been rewritten.
            XCTAssertEqual(rig.place(position, milliseconds: time + 9), Int64(position))
        }
        // A cycle back, and on.
        XCTAssertEqual(rig.place(1_960_000 - 480, milliseconds: 20_510), 1_960_000 - 480)
        XCTAssertEqual(rig.place(1_960_480, milliseconds: 20_520), 1_960_480)
    }

    func testOverAnotherClockTheSystemsClockCounts() {
        var rig = Rig()
        XCTAssertEqual(rig.place(1000, milliseconds: 500), 1000)
        // The position is far ahead, but only 30 ms have passed.
        XCTAssertEqual(rig.place(20 * 48_000, clock: 2, milliseconds: 530), 1000 + 1440)
        XCTAssertEqual(rig.place(20 * 48_000 + 480, clock: 2, milliseconds: 540), 1000 + 1920)
        // The first one stood still meanwhile, or went on: that is not known.
        XCTAssertEqual(rig.place(1480, milliseconds: 560), 1000 + 2880)
        XCTAssertEqual(rig.place(1960, milliseconds: 570), 1000 + 3360)
        // The cycle has the same time, or an earlier one.
        XCTAssertEqual(rig.place(5, clock: 3, milliseconds: 570), 1000 + 3360)
        XCTAssertEqual(rig.place(5, clock: 4, milliseconds: 560), 1000 + 3360)
        // And a driver that publishes no time for a while.
        XCTAssertEqual(rig.place(5, clock: 5, milliseconds: 0), 1000 + 3360)
        XCTAssertEqual(rig.place(485, clock: 5, milliseconds: 0), 1000 + 3840)
        XCTAssertEqual(rig.place(77, clock: 6, milliseconds: 1_000_000), 1000 + 3840)
    }

    func testADeviceThatIsRestartedGoesOn() {
        var rig = Rig()
        _ = rig.place(20 * 48_000, milliseconds: 500)
        XCTAssertEqual(rig.place(0, milliseconds: 600), 20 * 48_000 + 4800)
        XCTAssertEqual(rig.place(480, milliseconds: 610), 20 * 48_000 + 5280)
        // Another device has the first one's id now, and has run for a day.
        XCTAssertEqual(rig.place(24 * 3600 * 48_000, milliseconds: 620), 20 * 48_000 + 5760)
        // The position may wrap, too.
        XCTAssertEqual(rig.place(.max - 239, milliseconds: 630), 20 * 48_000 + 6240)
        XCTAssertEqual(rig.place(240, milliseconds: 640), 20 * 48_000 + 6720)
    }

    func testWhileFreewheelingThePositionIsTheTime() {
        var rig = Rig()
        _ = rig.place(1000, milliseconds: 500)
        // A day in a second.
        XCTAssertEqual(rig.place(7, clock: 2, milliseconds: 510, isFreewheeling: true), 1480)
        let day: UInt64 = 24 * 3600 * 48_000
        XCTAssertEqual(
            rig.place(7 + day, clock: 2, milliseconds: 1510, isFreewheeling: true), 1480 + Int64(day))
        XCTAssertEqual(
            rig.place(7 + day + 480, clock: 2, milliseconds: 1511, isFreewheeling: true), 1960 + Int64(day))
        // Its last cycle is over in no time.
        XCTAssertEqual(rig.place(2000, milliseconds: 1511), 2440 + Int64(day))
    }

    func testAClockThatStandsStillIsReplacedByTheSystems() {
        var rig = Rig()
        _ = rig.place(1000, milliseconds: 500)
        var place: Int64 = 0
        for number in 1...10_000 {
            // A little faster than it says.
            place = rig.place(1000, milliseconds: 500 + 9.99 * Double(number))
            let elapsed = 479.52 * Double(number)
            if number < 16 {
                XCTAssertEqual(place, 1000, "it may still be a repeat")
            } else {
                XCTAssertEqual(Double(place - 1000), elapsed, accuracy: 961)
            }
        }
        XCTAssertEqual(rig.place(1480, milliseconds: 200_000), place + 480, "now it counts")
    }

    /// A random course of events, of which it is known what has to come of it.
    func testRandomCoursesStayExactOnEveryClockAndMeasuredBetweenThem() {
        for seed in 0..<200 as Range<UInt64> {
            var numbers = SeededNumbers(seed: seed)
            var timeline = Timeline()
            let rate = [8000, 44_100, 48_000, 192_000, 4_000_000].randomElement(using: &numbers)!
            var clock: UInt32 = 1
            var position = UInt64.random(in: 0...UInt64.max, using: &numbers)
            var time = UInt64.random(in: 1...(1 << 50), using: &numbers)
            var last: (place: Int64, position: UInt64, time: UInt64, clock: UInt32)?
            for _ in 0..<500 {
                let frames = Int.random(in: 1...8192, using: &numbers)
                let passed = UInt64(frames) * 1_000_000_000 / UInt64(rate)
                var isAnother = false
                var isRepeat = false
                switch Int.random(in: 0..<20, using: &numbers) {
                case 0:
                    clock = UInt32.random(in: 0...5, using: &numbers)
                    isAnother = last.map { $0.clock != clock } ?? false
                    position = UInt64.random(in: 0...UInt64.max, using: &numbers)
                    if last?.clock == clock, let last { position = last.position &+ UInt64(frames) }
                case 1: isRepeat = last != nil
                case 2 where last != nil:
                    // Restarted.
                    position &-= UInt64.random(in: 8193...(1 << 62), using: &numbers)
                    isAnother = true
                case 3:
                    let missed = UInt64.random(in: 1...100_000, using: &numbers)
                    position &+= missed
                    time += missed * 1_000_000_000 / UInt64(rate)
                default: break
                }
                if isRepeat, let last { position = last.position } else { time += passed }
                let place = timeline.place(
                    clock: GraphClock(id: clock), position: position, frameCount: frames, sampleRate: rate,
                    time: time, isFreewheeling: false)
                if let last {
                    if isAnother {
                        let measured = Double(time - last.time) * Double(rate) / 1e9
                        XCTAssertEqual(Double(place &- last.place), measured, accuracy: 1, "seed \(seed)")
                    } else {
                        XCTAssertEqual(
                            place &- last.place, Int64(bitPattern: position &- last.position), "seed \(seed)")
                    }
                }
                last = (place, position, time, clock)
                position &+= UInt64(frames)
            }
        }
    }

    /// A driver may say anything. Nothing may trap, and nothing else is promised.
    func testNonsenseIsSurvived() {
        let extremes: [UInt64] = [0, 1, 1 << 62, 1 << 63, (1 << 63) - 1, .max, .max - 1, 8192, 1 << 56]
        for seed in 0..<100 as Range<UInt64> {
            var numbers = SeededNumbers(seed: seed)
            var timeline = Timeline()
            func any(_ numbers: inout SeededNumbers) -> UInt64 {
                Bool.random(using: &numbers)
                    ? extremes.randomElement(using: &numbers)! : UInt64.random(in: 0...UInt64.max, using: &numbers)
            }
            for _ in 0..<1000 {
                _ = timeline.place(
                    clock: GraphClock(id: UInt32.random(in: 0...1, using: &numbers)), position: any(&numbers),
                    frameCount: Int.random(in: 0...8192, using: &numbers),
                    sampleRate: Int(UInt32(truncatingIfNeeded: any(&numbers))), time: any(&numbers),
                    isFreewheeling: Bool.random(using: &numbers))
            }
        }
    }
}
