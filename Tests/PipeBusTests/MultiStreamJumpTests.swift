// SPDX-License-Identifier: MIT
import Glibc
import XCTest

@testable import PipeBus

/// A pause of an input is silence at its own time, also if nothing was read meanwhile. A late thread is not a pause.
final class MultiStreamJumpTests: XCTestCase {
    private static func time(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: UInt64(seconds * 1e9 + 0.5))
    }

    /// Sound that tells its time: a ramp of 1 in 4 seconds.
    private static func sound(at seconds: Double) -> Float { Float(0.1 + (seconds - 10) / 4) }

    /// Mono inputs of these rates, each with room for all of a test.
    private static func streams(_ rates: Int...) throws -> MultiStream {
        let formats = rates.map { StreamFormat(.float32, channelCount: 1, sampleRate: $0) }
        return try MultiStream(formats, channelCount: 1, capacity: 1 << 18)
    }

    /// Writes frames whose sound tells their time, from a time on.
    private static func write(
        _ count: Int, block: Int, at start: Double, rate: Double = 48_000, lateBy delay: (Int) -> Double = { _ in 0 },
        into input: inout MultiStreamInput
    ) {
        for first in stride(from: 0, to: count, by: block) {
            let frames = min(block, count - first)
            let samples = (0..<frames).map { sound(at: start + Double(first + $0) / rate) }
            input.write(samples.span, madeAt: time(start + Double(first) / rate + delay(first)))
        }
        XCTAssertEqual(input.droppedFrames, 0)
    }

    private struct Frame {
        var time: Double
        var sample: Float
    }

    /// Reads all that is there, of the mix or of an input.
    private static func read(
        _ output: inout MultiStreamOutput, input: Int?, block: Int, at now: Double
    ) -> [Frame] {
        var frames: [Frame] = []
        var samples = [Float](repeating: 0, count: block)
        while true {
            var span = samples.mutableSpan
            let result =
                if let input { output.read(into: &span, input: input, at: time(now)) } else {
                    output.read(into: &span, at: time(now))
                }
            if input != nil { output.endInterval() }
            guard result.frameCount > 0 else { return frames }
            for frame in 0..<result.frameCount {
                let start = Double(result.time.nanoseconds) / 1e9
                frames.append(Frame(time: start + Double(frame) / 48_000, sample: samples[frame]))
            }
        }
    }

    /// Sound is at its time, within so many seconds, and silent in a pause and after its end. Frames near an edge may be faded.
    private func check(
        _ frames: [Frame], silence: ClosedRange<Double>? = nil, within accuracy: Double, edge: Double = 0.006,
        end: Double = .infinity,
        _ what: String
    ) {
        for (index, frame) in frames.enumerated() {
            if index > 0 { XCTAssertEqual(frame.time - frames[index - 1].time, 1 / 48_000, accuracy: 2e-5, what) }
            let edges = [10, silence?.lowerBound, silence?.upperBound, end].compactMap { $0 }
            if edges.contains(where: { abs(frame.time - $0) < edge }) { continue }
            let isSilent = silence?.contains(frame.time) ?? false || frame.time > end
            let expected = isSilent ? 0 : Self.sound(at: frame.time)
            guard abs(frame.sample - expected) > Float(accuracy / 4) else { continue }
            return XCTFail("\(what): at \(frame.time) is \(frame.sample), not \(expected)")
        }
    }

    func testAPauseOfTheReferenceThatIsReadLater() throws {
        for (mixed, block, write) in [
            (true, 20_000, 1), (true, 333, 1), (false, 20_000, 64), (false, 777, 1), (true, 20_000, 480),
        ] {
            let streams = try Self.streams(48_000)
            var input = try streams.makeInput(0)
            var output = try streams.makeOutput()
            let first = 1500.0 / 48_000
            Self.write(1500, block: write, at: 10, into: &input)
            Self.write(4000, block: write, at: 10 + first + 0.1, into: &input)
            let frames = Self.read(&output, input: mixed ? nil : 0, block: block, at: 10.3)
            let what = "\(mixed) \(block) \(write)"
            XCTAssertEqual(frames.count, 1500 + 4800 + 4000, what)
            check(frames, silence: (10 + first)...(10 + first + 0.1), within: 1e-4, what)
        }
    }

    func testAPauseOfAnotherInputThatIsReadLater() throws {
        for (rate, start) in [(48_000, 0.5), (44_100, 0.5), (44_100, 0.03)] {
            let streams = try Self.streams(48_000, rate)
            var reference = try streams.makeInput(0)
            var other = try streams.makeInput(1)
            var output = try streams.makeOutput()
            let first = (start * Double(rate)).rounded()
            let pause = 10 + first / Double(rate)
            Self.write(48_000, block: 256, at: 10, into: &reference)
            Self.write(Int(first), block: 147, at: 10, rate: Double(rate), into: &other)
            Self.write(rate / 4, block: 147, at: pause + 0.1, rate: Double(rate), into: &other)
            let frames = Self.read(&output, input: 1, block: 20_000, at: 11)
            XCTAssertEqual(Double(frames.count), (start + 0.35) * 48_000, accuracy: 300, "\(rate)")
            check(frames, silence: pause...(pause + 0.1), within: 0.001, edge: 0.008, "\(rate) \(start)")
        }
    }

    func testABurstOfALateThreadIsNotAPause() throws {
        for isReference in [true, false] {
            let streams = try Self.streams(48_000, 48_000)
            var steady = try streams.makeInput(isReference ? 1 : 0)
            var late = try streams.makeInput(isReference ? 0 : 1)
            var output = try streams.makeOutput()
            Self.write(96_000, block: 480, at: 10, into: &steady)
            // Held up for 60 ms, it gives what is due at once, and says that it was made just now.
            let delay: (Int) -> Double = { first in
                let missed = Double(first - 48_000) / 48_000
                return (0..<0.06).contains(missed) ? 0.06 - missed : 0
            }
            Self.write(96_000, block: 480, at: 10, lateBy: delay, into: &late)
            let frames = Self.read(&output, input: isReference ? 0 : 1, block: 20_000, at: 12)
            XCTAssertEqual(Double(frames.count), 96_000, accuracy: 200)
            check(frames, within: 0.001, "\(isReference)")
        }
    }

    func testALateLastBlockIsAPause() throws {
        for isReference in [true, false] {
            let streams = try Self.streams(48_000, 48_000)
            var steady = try streams.makeInput(isReference ? 1 : 0)
            var late = try streams.makeInput(isReference ? 0 : 1)
            var output = try streams.makeOutput()
            Self.write(48_000, block: 480, at: 10, into: &steady)
            Self.write(24_000, block: 480, at: 10, into: &late)
            Self.write(480, block: 480, at: 10.6, into: &late)
            var frames = Self.read(&output, input: isReference ? 0 : 1, block: 20_000, at: 10.7)
            XCTAssertEqual(Double(frames.count), 24_000, accuracy: 100, "the next blocks would tell")
            late.markIdle()
            frames += Self.read(&output, input: isReference ? 0 : 1, block: 20_000, at: 10.7)
            XCTAssertEqual(Double(frames.count), 48_000, accuracy: 100)
            for frame in frames where abs(frame.time - 10.605) < 0.004 {
                XCTAssertGreaterThan(frame.sample, 0.01)
            }
            check(frames, silence: 10.5...10.6, within: 0.001, edge: 0.011, end: 10.61, "\(isReference)")
        }
    }
}
