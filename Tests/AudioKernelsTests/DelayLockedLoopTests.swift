// SPDX-License-Identifier: MIT
import AudioKernels
import SeededRandom
import XCTest

final class DelayLockedLoopTests: XCTestCase {
    /// A stream without jitter that runs at another rate than it should.
    private struct Stream {
        var loop = DelayLockedLoop(nominalRate: 48_000)
        var position: Int64 = 0
        var time = 1e9
        let rate = 48_000 * 1.0003

        mutating func pass(_ frames: Int64) {
            position += frames
            time += Double(frames) / rate * 1e9
        }

        mutating func note(late nanoseconds: Double = 0) -> DelayLockedLoop.Outcome {
            loop.note(position: position, nanoseconds: UInt64(time + nanoseconds))
        }
    }

    func testARateIsFound() {
        var random = SeededGenerator(seed: 1)
        var stream = Stream()
        XCTAssertFalse(stream.loop.isRunning)
        XCTAssertEqual(stream.note(), .started)
        for _ in 0..<3000 {
            stream.pass(Int64.random(in: 240...9000, using: &random))
            XCTAssertEqual(stream.note(), .updated)
        }
        XCTAssertEqual(stream.loop.rate / stream.rate, 1, accuracy: 1e-8)
        XCTAssertEqual(stream.loop.slope, 1 / 1.0003 - 1, accuracy: 1e-8)
        XCTAssertEqual(stream.loop.updates, 3000)
        XCTAssertEqual(
            stream.loop.frames(from: stream.position - 100, to: UInt64(stream.time + 1e9)), stream.rate + 100,
            accuracy: 0.01)
        XCTAssertEqual(
            stream.loop.frames(from: stream.position, to: UInt64(stream.time - 1e9)), -stream.rate, accuracy: 0.01)
    }

    func testShortBlocksAreAveraged() {
        var stream = Stream()
        _ = stream.note()
        for number in 1...240 {
            stream.pass(10)
            XCTAssertEqual(stream.note(), number % 24 == 0 ? .updated : .gathered)
        }
    }

    func testKnownEventsAreLeftOut() {
        var stream = Stream()
        var events: [(position: Int64, time: Double)] = []
        for _ in 0..<50 {
            events.append((stream.position, stream.time))
            _ = stream.note()
            stream.pass(1024)
        }
        let updates = stream.loop.updates
        let place = stream.loop.frames(from: 0, to: 2_000_000_000)
        for event in events.suffix(20) {
            XCTAssertEqual(stream.loop.note(position: event.position, nanoseconds: UInt64(event.time)), .gathered)
        }
        // PipeWire gives a late app one cycle twice.
        XCTAssertEqual(
            stream.loop.note(position: events.last!.position, nanoseconds: UInt64(stream.time)), .gathered)
        XCTAssertEqual(stream.loop.updates, updates)
        XCTAssertEqual(stream.loop.frames(from: 0, to: 2_000_000_000), place)
    }

    func testAHoldUpMovesLittle() {
        var stream = Stream()
        for _ in 0..<1000 {
            _ = stream.note()
            stream.pass(480)
        }
        let place = stream.loop.frames(from: stream.position, to: UInt64(stream.time))
        // Ten events come together, 100 ms late.
        for late in 0..<10 {
            XCTAssertEqual(stream.note(late: Double(10 - late) * 10e6), .updated)
            stream.pass(480)
        }
        XCTAssertEqual(stream.loop.frames(from: stream.position, to: UInt64(stream.time)), place, accuracy: 2)
        XCTAssertEqual(stream.loop.rate / stream.rate, 1, accuracy: 2e-6)
    }

    func testStraysThatDifferAreNoJump() {
        var stream = Stream()
        for number in 0..<300 {
            XCTAssertNotEqual(stream.note(late: number > 100 ? Double(number % 5) * 20e6 + 20e6 : 0), .moved)
            stream.pass(1024)
        }
        XCTAssertEqual(stream.loop.rate / stream.rate, 1, accuracy: 0.002)
    }

    func testAJumpIsFoundAndTheRateIsKept() {
        for late in [-0.4, -0.02, 0.02, 0.4] {
            var stream = Stream()
            for _ in 0..<3000 {
                _ = stream.note()
                stream.pass(480)
            }
            var count = 0
            while stream.note(late: late * 1e9) != .moved, count < 100 {
                count += 1
                stream.pass(480)
            }
            XCTAssertEqual(count, 21)
            XCTAssertEqual(
                stream.loop.frames(from: stream.position, to: UInt64(stream.time)), -late * stream.rate,
                accuracy: 0.01)
            XCTAssertEqual(stream.loop.rate / stream.rate, 1, accuracy: 2e-6)
        }
    }

    func testAnotherStreamStartsAnew() {
        var stream = Stream()
        for _ in 0..<3000 {
            _ = stream.note()
            stream.pass(480)
        }
        for frames in [1_000_000, 20_000] as [Int64] {
            stream.position -= frames
            XCTAssertEqual(stream.note(), .started)
            stream.pass(480)
        }
        stream.pass(900 * 48_000)
        XCTAssertEqual(stream.note(), .updated)
        stream.pass(1001 * 48_000)
        XCTAssertEqual(stream.note(), .started)
        stream.pass(480)
        stream.time += 0.6e9
        XCTAssertEqual(stream.note(), .started)
        stream.time -= 0.6e9
        stream.pass(480)
        XCTAssertEqual(stream.note(), .started)
        XCTAssertEqual(stream.loop.updates, 0)
        XCTAssertEqual(stream.loop.rate / stream.rate, 1, accuracy: 1e-6)
        stream.loop.reset(keepingRate: true)
        XCTAssertFalse(stream.loop.isRunning)
        XCTAssertEqual(stream.loop.rate / stream.rate, 1, accuracy: 1e-6)
        stream.loop.reset(keepingRate: false)
        XCTAssertEqual(stream.loop.rate, 48_000)
    }

    func testTheSlopeIsClamped() {
        for (passed, slope) in [(489, -0.005), (471, 0.005)] as [(Int64, Double)] {
            var stream = Stream()
            for _ in 0..<1000 {
                _ = stream.note()
                stream.pass(480)
                stream.position += passed - 480
                XCTAssertLessThanOrEqual(abs(stream.loop.slope), 0.005)
            }
            XCTAssertEqual(stream.loop.slope, slope, accuracy: 0.001)
        }
    }

    func testRatesAreClamped() {
        for (given, kept) in [(0, 1000), (-1, 1000), (.nan, 1000), (999, 1000), (48_000, 48_000), (1e300, 1e7)]
            as [(Double, Double)]
        {
            XCTAssertEqual(DelayLockedLoop(nominalRate: given).nominalRate, kept)
        }
    }
}
