// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import RealtimeKit
import SeededRandom
import XCTest

@testable import PipeBus

/// A writer's format changes while sound is written: every frame leaves, and no step is much larger than the sine's own.
final class WriterFormatTests: XCTestCase {
    private static let graphRate = 48_000
    private static let amplitude = 0.5
    private static let frequency = 440.0
    /// The largest difference of two frames of the sine, at the graph's rate.
    private static let ownStep = amplitude * 2 * .pi * frequency / Double(graphRate)

    private static let formats = [
        StreamFormat(.float32, sampleRate: 44_100), StreamFormat(.float32, sampleRate: 48_000),
        StreamFormat(.float32, sampleRate: 32_000), StreamFormat(.int16, sampleRate: 32_000),
        StreamFormat(.float32), StreamFormat(.int16, channelCount: 1, sampleRate: 96_000),
        StreamFormat(.float32, isInterleaved: false, sampleRate: 8_000), StreamFormat(.int24, sampleRate: 44_100),
        StreamFormat(.float32, channelCount: 1, sampleRate: 44_100), StreamFormat(.int32, sampleRate: 11_025),
    ]

    private static func rate(_ format: StreamFormat) -> Int { format.sampleRate ?? graphRate }

    /// Number of the graph's frames of a format's, rounded up.
    private static func expected(_ frames: Int, _ format: StreamFormat) -> Int {
        (frames * graphRate + rate(format) - 1) / rate(format)
    }

    /// A writer without a port, and a graph that takes what is there.
    private struct Rig: ~Copyable {
        let memory: WriterMemory
        private var input: WriterInput
        private var time = 0.0
        /// What came, of both channels.
        private(set) var heard: [[Float]] = [[], []]
        private(set) var dropped = 0
        let limit: Int

        init(_ format: StreamFormat, limit: Int) {
            self.limit = limit
            memory = WriterMemory(channelCount: 2, limit: limit, liveLatency: nil)
            input = WriterInput(format, memory: memory, graphRate: graphRate, ownClockLatency: nil)
        }

        mutating func setFormat(_ format: StreamFormat) {
            dropped += input.giveRest(into: memory.ring).dropped
            let hasBegun = input.hasBegun
            input = WriterInput(format, memory: memory, graphRate: graphRate, ownClockLatency: nil)
            if hasBegun { input.goOn(after: memory.ring) }
        }

        mutating func follow(_ rate: Int) { dropped += input.follow(rate, memory.ring).dropped }

        /// Writes the sine's next frames as far as there is room.
        mutating func write(_ count: Int) -> Int {
            let (start, rate) = (time, Double(rate(input.format)))
            let sine = (0..<count).map { amplitude * cos(2 * .pi * frequency * (start + Double($0) / rate)) }
            let block = input.format.bytes(ofAllChannels: sine, 2)
            let taken = unsafe block.withUnsafeBytes { unsafe input.write($0.baseAddress!, count, into: memory.ring) }
            time += Double(taken) / rate
            return taken
        }

        /// The graph takes all that is there.
        mutating func hear() {
            let count = memory.ring.value.readableFrames
            for channel in 0..<2 {
                var samples = [Float](repeating: 0, count: count)
                unsafe samples.withUnsafeMutableBufferPointer {
                    guard let base = $0.baseAddress else { return }
                    memory.ring.value.copy(
                        channel: channel, into: unsafe SampleBlock(base, frameCount: count))
                }
                heard[channel] += samples
            }
            memory.ring.value.discard(count)
        }
    }

    private func check(
        _ rig: borrowing Rig, _ expected: Int, lowestRate: Int = graphRate, file: StaticString = #filePath,
        line: UInt = #line
    ) {
        XCTAssertEqual(rig.dropped, 0, file: file, line: line)
        for samples in rig.heard {
            XCTAssertEqual(samples.count, expected, file: file, line: line)
            // A resampler that begins with the sound has silence before.
            let steps = zip(samples.dropFirst(100), samples.dropFirst(101)).map { Double(abs($1 - $0)) }
            let longest = Double(Self.graphRate) / Double(lowestRate)
            XCTAssertLessThan(steps.max() ?? 0, Self.ownStep * longest * 1.15, file: file, line: line)
        }
    }

    func testASineGoesOnOverEveryChange() {
        sineGoesOn(over: Self.formats.prefix(5))
        sineGoesOn(over: Self.formats[...])
    }

    private func sineGoesOn(over formats: ArraySlice<StreamFormat>) {
        var random = SeededGenerator(seed: 11)
        var rig = Rig(formats[0], limit: 4096)
        var expected = 0
        for change in 0..<150 {
            let format = change < formats.count ? formats[change] : formats.randomElement(using: &random)!
            if change > 0 { rig.setFormat(format) }
            // Some are shorter than the resampler's filter.
            let frames = change == 0 ? 2000 : Int.random(in: 0...(change % 3 == 0 ? 60 : 1000), using: &random)
            var written = 0
            while written < frames {
                written += rig.write(min(Int.random(in: 1...700, using: &random), frames - written))
                if Bool.random(using: &random) { rig.hear() }
                if rig.memory.ring.value.writableFrames < 64 { rig.hear() }
            }
            expected += Self.expected(frames, format)
        }
        // The last format gives its rest, too.
        rig.setFormat(formats[0])
        rig.hear()
        check(rig, expected)
    }

    /// The rate of the graph changes: the sound goes on, although what was written before is played at the old one.
    func testASineGoesOnOverChangesOfTheGraphsRate() {
        for format in Self.formats {
            var random = SeededGenerator(seed: 12)
            var rig = Rig(format, limit: 1 << 15)
            var expected = 0
            var graphRate = Self.graphRate
            for change in 0..<60 {
                let rate = Self.rate(format)
                let frames = change % 4 == 3 ? 20 : rate / 20 + Int.random(in: 0...100, using: &random)
                XCTAssertEqual(rig.write(frames), frames)
                rig.hear()
                expected += format.sampleRate == nil ? frames : (frames * graphRate + rate - 1) / rate
                graphRate = [48_000, 44_100, 96_000].filter { $0 != graphRate }.randomElement(using: &random)!
                rig.follow(graphRate)
            }
            rig.hear()
            check(rig, expected, lowestRate: 44_100)
        }
    }

    func testAFullBufferTakesTheRest() {
        let limit = 1024
        for (index, format) in Self.formats.enumerated() {
            let next = Self.formats[(index + 1) % Self.formats.count]
            var rig = Rig(format, limit: limit)
            let frames = rig.write(40_000)
            rig.setFormat(next)
            XCTAssertEqual(rig.write(1), 0)
            rig.hear()
            let more = rig.write(40_000)
            rig.setFormat(format)
            rig.hear()
            check(rig, Self.expected(frames, format) + Self.expected(more, next))
        }
    }

    func testTheLongestRestFits() {
        let memory = WriterMemory(channelCount: 1, limit: 16, liveLatency: nil)
        var input = WriterInput(
            StreamFormat(.float32, sampleRate: 8_000), memory: memory, graphRate: 384_000, ownClockLatency: nil)
        let block = [Float](repeating: 0.5, count: 1000)
        let taken = unsafe block.withUnsafeBytes { unsafe input.write($0.baseAddress!, 1000, into: memory.ring) }
        XCTAssertEqual(memory.ring.value.writableFrames, 0)
        let (given, dropped) = input.giveRest(into: memory.ring)
        XCTAssertEqual(dropped, 0)
        XCTAssertEqual(16 + given, 48 * taken)
        XCTAssertEqual(memory.ring.value.writableFrames, 0)
    }
}
