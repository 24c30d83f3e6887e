// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBus

/// The places of cycles in a stream.
final class StreamTimelineTests: XCTestCase {
    /// A timeline at 48 kHz, and what is given to it.
    private struct Rig {
        var timeline = StreamTimeline()
        var frames = 480

        mutating func place(_ position: UInt64, milliseconds: Double, isFreewheeling: Bool = false) -> Int64 {
            timeline.place(
                position: position, frameCount: frames, sampleRate: 48_000, time: UInt64(milliseconds * 1_000_000),
                isFreewheeling: isFreewheeling)
        }
    }

    func testAPlaceIsThePosition() {
        var rig = Rig()
        XCTAssertEqual(rig.place(1_000_000, milliseconds: 500), 1_000_000)
        XCTAssertEqual(rig.place(1_000_480, milliseconds: 510), 1_000_480)
        // Missed, or not connected for a while, or the graph stood still.
        XCTAssertEqual(rig.place(1_001_440, milliseconds: 530), 1_001_440)
        XCTAssertEqual(rig.place(9_001_440, milliseconds: 400_530), 9_001_440)
        // Freewheeling: a day in a second.
        let day: UInt64 = 24 * 3600 * 48_000
        XCTAssertEqual(rig.place(9_001_920 + day, milliseconds: 401_530, isFreewheeling: true), 9_001_920 + Int64(day))
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

    /// A driver may say anything. Nothing may trap, and nothing else is promised.
    func testNonsenseIsSurvived() {
        let extremes: [UInt64] = [0, 1, 1 << 62, 1 << 63, (1 << 63) - 1, .max, .max - 1, 8192, 1 << 56]
        for seed in 0..<100 as Range<UInt64> {
            var numbers = SeededGenerator(seed: seed)
            var timeline = StreamTimeline()
            func any(_ numbers: inout SeededGenerator) -> UInt64 {
                Bool.random(using: &numbers)
                    ? extremes.randomElement(using: &numbers)! : UInt64.random(in: 0...UInt64.max, using: &numbers)
            }
            var position: UInt64 = 0
            for _ in 0..<1000 {
                if Int.random(in: 0..<20, using: &numbers) == 0 { position = any(&numbers) }
                _ = timeline.place(
                    position: position, frameCount: Int.random(in: 0...8192, using: &numbers),
                    sampleRate: Int(UInt32(truncatingIfNeeded: any(&numbers))), time: any(&numbers),
                    isFreewheeling: Bool.random(using: &numbers))
            }
        }
    }
}
