// SPDX-License-Identifier: MIT
import Glibc
import XCTest

@testable import PipeBus

/// Sound of different clocks comes out in step.
final class MultiStreamTests: XCTestCase {
    private static func sine(at seconds: Double) -> Float {
        Float(0.5 * sin(2 * .pi * (300 * seconds).truncatingRemainder(dividingBy: 1)))
    }

    /// A sine of 300 Hz and a level of 0.5 changes by 0.94 in a millisecond.
    private static func difference(after seconds: Double) -> Float { Float(0.95 * seconds * 1000) }

    private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(seconds * 1e9)) }

    /// A source with a clock of its own, whose sound is a function of the time.
    private struct Source: ~Copyable {
        var input: MultiStreamInput
        let rate: Double
        let block: Int
        /// How late the thread is that writes.
        let delay: Double
        /// The time of the next frame, in seconds.
        var next: Double
        var isSilent = false

        init(_ input: consuming MultiStreamInput, rate: Double, block: Int, delay: Double = 0, start: Double = 10) {
            self.input = input
            self.rate = rate
            self.block = block
            self.delay = delay
            next = start
        }

        mutating func run(until end: Double) {
            while next + Double(block) / rate + delay <= end {
                if !isSilent {
                    let sound = (0..<block).map { MultiStreamTests.sine(at: next + Double($0) / rate) }
                    input.write(sound.span, madeAt: MultiStreamTests.time(next))
                }
                next += Double(block) / rate
            }
        }
    }

    private struct Rig: ~Copyable {
        let streams: MultiStream
        var output: MultiStreamOutput
        var reference: Source
        var other: Source
        var now = 10.0
        var frames = 0
        /// The largest difference of the channels of each input from the sine at their time.
        var worst: [Float] = [0, 0]
        var jumps = 0
        private var end = 0.0

        init(offset: Double = 300e-6, delay: Double = 0.02, otherStart: Double = 10) throws {
            let format = StreamFormat(.float32, channelCount: 1, sampleRate: 48_000)
            var other = format
            other.sampleRate = 44_100
            let streams = try MultiStream([format, other], channelCount: 1)
            let output = try streams.makeOutput()
            let first = try streams.makeInput(0)
            let second = try streams.makeInput(1)
            self.init(
                streams, output, Source(first, rate: 48_000, block: 256),
                Source(second, rate: 44_100 * (1 + offset), block: 441, delay: delay, start: otherStart))
        }

        private init(
            _ streams: MultiStream, _ output: consuming MultiStreamOutput, _ reference: consuming Source,
            _ other: consuming Source
        ) {
            self.streams = streams
            self.output = output
            self.reference = reference
            self.other = other
        }

        mutating func forget() { (worst, jumps, frames) = ([0, 0], 0, 0) }

        /// Runs for so many seconds, and reads each input by itself.
        mutating func run(_ seconds: Double) {
            let stop = now + seconds
            var samples = [Float](repeating: 0, count: 400)
            while now < stop {
                now += 0.005
                reference.run(until: now)
                other.run(until: now)
                var counts = [0, 0]
                for input in 0..<2 {
                    var span = samples.mutableSpan
                    let result = output.read(into: &span, input: input, at: MultiStreamTests.time(now))
                    counts[input] = result.frameCount
                    let start = Double(result.time.nanoseconds) / 1e9
                    for frame in 0..<result.frameCount {
                        let expected = MultiStreamTests.sine(at: start + Double(frame) / 48_000)
                        worst[input] = max(worst[input], abs(samples[frame] - expected))
                    }
                    if input == 0, result.frameCount > 0 {
                        if abs(start - end) > 1e-5 { jumps += 1 }
                        end = start + Double(result.frameCount) / 48_000
                    }
                }
                XCTAssertEqual(counts[0], counts[1])
                frames += counts[0]
                output.endInterval()
            }
        }
    }

    func testTwoClocksAreInStep() throws {
        for (offset, delay) in [(300e-6, 0.02), (-500e-6, 0.0), (0, 0.1)] {
            var rig = try Rig(offset: offset, delay: delay)
            rig.run(2)
            rig.forget()
            rig.run(8)
            let early = rig.worst[1]
            XCTAssertLessThan(early, Self.difference(after: 0.0006), "\(offset)")
            rig.forget()
            rig.run(20)
            let (worst, jumps, frames) = (rig.worst, rig.jumps, rig.frames)
            // The reference is what it was, to the rounding of its times.
            XCTAssertLessThan(worst[0], 2e-5, "\(offset)")
            XCTAssertLessThan(worst[1], Self.difference(after: 0.0002), "\(offset)")
            XCTAssertEqual(jumps, 0, "\(offset)")
            XCTAssertEqual(Double(frames), 20 * 48_000, accuracy: 2000, "\(offset)")
        }
    }

    func testTheReferenceIsExact() throws {
        let format = StreamFormat(.int16, channelCount: 2, sampleRate: 48_000)
        let streams = try MultiStream([format])
        var input = try streams.makeInput(0)
        var output = try streams.makeOutput()
        var (written, read) = (0, 0)
        var samples = [Float](repeating: 0, count: 2 * 700)
        for round in 0..<200 {
            var bytes: [UInt8] = []
            for frame in written..<(written + 333) {
                for channel in 0..<2 {
                    let sample = UInt16(truncatingIfNeeded: frame * 7 + channel)
                    bytes += [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
                }
            }
            let now = 20 + Double(round) * 333 / 48_000
            input.write(bytes.span, madeAt: Self.time(now))
            written += 333
            var span = samples.mutableSpan
            let result = output.read(into: &span, at: Self.time(now + 0.01))
            for frame in 0..<result.frameCount {
                for channel in 0..<2 {
                    let sample = Int16(truncatingIfNeeded: (read + frame) * 7 + channel)
                    XCTAssertEqual(samples[2 * frame + channel], Float(sample) / 32_768)
                }
            }
            read += result.frameCount
        }
        XCTAssertEqual(read, written)
    }

    func testAnInputThatGivesNothingIsWaitedForForASecond() throws {
        var rig = try Rig()
        rig.run(3)
        rig.other.isSilent = true
        rig.forget()
        rig.run(0.9)
        let waiting = rig.frames
        XCTAssertLessThan(waiting, 4000, "what it had")
        rig.run(2.5)
        let after = rig.frames
        // All that has waited is read, and its place is silent.
        XCTAssertEqual(Double(after), 3.4 * 48_000, accuracy: 4000)
        rig.other.isSilent = false
        rig.run(3)
        rig.forget()
        rig.run(3)
        let (worst, jumps) = (rig.worst, rig.jumps)
        XCTAssertLessThan(worst[1], 0.01)
        XCTAssertEqual(jumps, 0)
    }

    func testAnIdleInputIsNotWaitedFor() throws {
        var rig = try Rig()
        rig.run(3)
        rig.other.isSilent = true
        rig.other.input.markIdle()
        rig.forget()
        rig.run(0.5)
        let (frames, worst) = (rig.frames, rig.worst)
        XCTAssertEqual(Double(frames), 24_000, accuracy: 2000)
        XCTAssertLessThan(worst[0], 2e-5)
        // The reference too: then the time goes on with the other.
        rig.other.isSilent = false
        rig.run(2)
        rig.reference.isSilent = true
        rig.reference.input.markIdle()
        rig.forget()
        rig.run(2)
        let (others, jumps) = (rig.frames, rig.jumps)
        XCTAssertEqual(Double(others), 96_000, accuracy: 2000)
        XCTAssertEqual(jumps, 0)
        let second = rig.worst[1]
        XCTAssertLessThan(second, 0.01)
        rig.reference.isSilent = false
        rig.run(2)
        rig.forget()
        rig.run(2)
        let (again, steps) = (rig.worst, rig.jumps)
        XCTAssertEqual(steps, 0)
        XCTAssertLessThan(again[0], 0.03, "half a frame of 300 Hz")
        XCTAssertLessThan(again[1], 0.03)
    }

    func testAPauseOfTheReferenceIsSilence() throws {
        var rig = try Rig()
        rig.run(3)
        // Its thread was held up, and the sound of that time is lost.
        rig.reference.next += 0.2
        rig.run(3)
        rig.forget()
        rig.run(2)
        let (worst, jumps) = (rig.worst, rig.jumps)
        XCTAssertEqual(jumps, 0)
        XCTAssertLessThan(worst[0], Self.difference(after: 0.0006))
        XCTAssertLessThan(worst[1], Self.difference(after: 0.0006))
    }

    func testAnInputThatBeginsLater() throws {
        var rig = try Rig(otherStart: 12.345)
        rig.run(5)
        rig.forget()
        rig.run(2)
        let (worst, jumps) = (rig.worst, rig.jumps)
        XCTAssertEqual(jumps, 0)
        XCTAssertLessThan(worst[1], Self.difference(after: 0.0006))
    }

    func testTheMixHasLevels() throws {
        let format = StreamFormat(.float32, channelCount: 2, sampleRate: 48_000)
        let streams = try MultiStream([format, format])
        var first = try streams.makeInput(0)
        var second = try streams.makeInput(1)
        var output = try streams.makeOutput()
        streams.setLevel(volume: 0.5, of: 0)
        streams.setLevel(volume: 1, pan: 1, of: 1)
        var samples = [Float](repeating: 0, count: 2 * 1024)
        var last: [Float] = []
        for round in 0..<400 {
            let now = 5 + Double(round) * 480 / 48_000
            first.write([Float](repeating: 0.5, count: 960).span, madeAt: Self.time(now))
            second.write([Float](repeating: 0.25, count: 960).span, madeAt: Self.time(now))
            var span = samples.mutableSpan
            let result = output.read(into: &span, at: Self.time(now + 0.01))
            if result.frameCount > 0 { last = [samples[0], samples[1]] }
        }
        XCTAssertEqual(last[0], 0.25, accuracy: 1e-4)
        XCTAssertEqual(last[1], 0.5, accuracy: 1e-4)
        let discarded = output.discard(1000, at: Self.time(9)).frameCount
        XCTAssertLessThanOrEqual(discarded, 1000)
    }

    func testBadValuesAreRefused() throws {
        let format = StreamFormat(.float32, sampleRate: 48_000)
        func assertRefused(_ make: () throws -> Void) {
            XCTAssertThrowsError(try make()) { XCTAssertEqual(($0 as? PipeBusError)?.code, .invalidArgument) }
        }
        assertRefused { _ = try MultiStream([]) }
        assertRefused { _ = try MultiStream(Array(repeating: format, count: 33)) }
        assertRefused { _ = try MultiStream([.float32]) }
        assertRefused { _ = try MultiStream([format], channelCount: 0) }
        assertRefused { _ = try MultiStream([format], channelCount: 65) }
        assertRefused { _ = try MultiStream([format], capacity: 1) }
        let streams = try MultiStream([format])
        assertRefused { _ = try streams.makeInput(1).channelCount }
        _ = try streams.makeInput(0).channelCount
        XCTAssertThrowsError(_ = try streams.makeInput(0).channelCount)
        _ = try streams.makeOutput().channelCount
        XCTAssertThrowsError(_ = try streams.makeOutput().channelCount)
    }

    func testTimesThatAreNonsenseAreSurvived() throws {
        let streams = try MultiStream([StreamFormat(.float32, channelCount: 1, sampleRate: 48_000)], channelCount: 1)
        var input = try streams.makeInput(0)
        var output = try streams.makeOutput()
        var samples = [Float](repeating: 0, count: 4096)
        for time in [0, 1, UInt64.max, 1 << 63, 5, UInt64.max / 2, 1_000_000_000] {
            for now in [0, UInt64.max, 1_000_000_000] {
                input.write([Float](repeating: 0.5, count: 2000).span, madeAt: MonotonicTime(nanoseconds: time))
                var span = samples.mutableSpan
                for _ in 0..<3 { _ = output.read(into: &span, at: MonotonicTime(nanoseconds: now)) }
            }
        }
        let dropped = input.droppedFrames
        XCTAssertEqual(dropped, 0)
    }
}
