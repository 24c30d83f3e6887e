// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// The time of a reader's silence, by the times of its requests.
final class ReaderIdleTimeRuleTests: XCTestCase {
    private var idle = ReaderIdleTime()
    private var place: Int64 = 0

    /// - Returns: the place and the time of an interval.
    private func read(_ frames: Int, at seconds: Double, age: Int = 2048) -> (place: Int64, seconds: Double) {
        place += idle.step(
            place: place, frameCount: frames, at: MonotonicTime(nanoseconds: UInt64(seconds * 1e9)), age: age,
            rate: 48_000, cycle: 1024)
        let made = Timestamp(place, like: idle.moment)
        defer { place += Int64(frames) }
        return (made.position, Double(made.time.nanoseconds) / 1e9)
    }

    private func endSound(at seconds: Double, end: Int64) {
        var progress = StreamProgress()
        progress.arrivalEnd = end
        progress.frameCount = 1024
        progress.nanoseconds = UInt64(seconds * 1e9) - 21_333_333
        progress.sampleRate = 48_000
        idle.begin(progress)
        place = end
    }

    func testBeforeAnySoundItIsAsOldAsSoundWouldBe() {
        for block in 0..<1000 {
            let made = read(480, at: 10 + 0.01 * Double(block))
            XCTAssertEqual(made.place, Int64(480 * block))
            XCTAssertEqual(10 + 0.01 * Double(block) - made.seconds, 2048 / 48_000, accuracy: 1e-6)
        }
    }

    func testAfterSoundPositionAndTimeGoOnTogether() {
        endSound(at: 10, end: 480_000)
        for block in 0..<1000 {
            // The end is younger than 2048 frames, by less than a cycle.
            let made = read(480, at: 10.03 + 0.01 * Double(block))
            XCTAssertEqual(made.place, Int64(480_000 + 480 * block))
            XCTAssertEqual(made.seconds, 10 + 0.01 * Double(block), accuracy: 1e-6)
        }
    }

    /// Also over a day, of which it has read all.
    func testAnAppWhoseClockIsFastIsFollowedInSteps() {
        endSound(at: 10, end: 480_000)
        var moves = 0
        for block in 0..<100_000 {
            let request = 10 + 0.9995 * Double(block)
            let before = place
            let made = read(48_000, at: request)
            if made.place != before { moves += 1 }
            XCTAssertEqual(Double(made.place) / 48_000, made.seconds, accuracy: 1e-4)
            guard block > 0 else { continue }
            XCTAssertEqual(request - made.seconds, 2048 / 48_000, accuracy: 0.05)
        }
        XCTAssertTrue((10...1500).contains(moves), "\(moves)")
    }

    /// They are ahead of their time at each burst's end, and that is no error.
    func testBurstsGoOn() {
        endSound(at: 10, end: 480_000)
        for block in 0..<1000 {
            let made = read(480, at: 10.05 + 0.1 * Double(block / 10))
            XCTAssertEqual(made.place, Int64(480_000 + 480 * block))
        }
    }

    func testAPauseOfTheAppIsAJump() {
        endSound(at: 10, end: 480_000)
        _ = read(480, at: 10.05)
        let made = read(480, at: 25)
        XCTAssertEqual(made.seconds, 25 - 2048 / 48_000, accuracy: 1e-3)
        XCTAssertEqual(Double(made.place) / 48_000, made.seconds, accuracy: 1e-4)
    }

    func testTimesThatMeanNothingAreForgotten() {
        for hadSound in [false, true] {
            idle = ReaderIdleTime()
            if hadSound { endSound(at: 10, end: 480_000) }
            let times: [UInt64] = [0, 1, .max, .max / 2, 1 << 63, 12_000_000_000]
            for nanoseconds in times {
                place += idle.step(
                    place: place, frameCount: 480, at: MonotonicTime(nanoseconds: nanoseconds), age: 2048, rate: 48_000,
                    cycle: 1024)
                place += 480
            }
            let made = read(480, at: 12.01)
            XCTAssertEqual(12.01 - made.seconds, 2048 / 48_000, accuracy: 1e-3)
            if hadSound { XCTAssertEqual(Double(made.place) / 48_000, made.seconds, accuracy: 1e-3) }
        }
    }

    /// A driver may leave the start of its cycles at 0.
    func testWithoutATimeOfTheSoundTheTimeIsThatOfTheRequests() {
        var progress = StreamProgress()
        progress.arrivalEnd = 1000
        progress.frameCount = 1000
        progress.sampleRate = 48_000
        idle.begin(progress)
        place = 1000
        for block in 0..<10 {
            let made = read(480, at: 10 + 0.01 * Double(block))
            XCTAssertEqual(made.place, Int64(1000 + 480 * block))
            XCTAssertEqual(10 + 0.01 * Double(block) - made.seconds, 2048 / 48_000, accuracy: 1e-6)
        }
    }
}
