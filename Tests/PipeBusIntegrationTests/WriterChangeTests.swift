// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// A writer whose format, or whose graph's rate, changes while sound is played: a sine goes on, and all is heard or counted.
final class WriterChangeTests: BusTestCase {
    private static let formats = [
        StreamFormat(.float32), StreamFormat(.float32, sampleRate: 44_100), StreamFormat(.int16, sampleRate: 96_000),
        StreamFormat(.float32, isInterleaved: false, sampleRate: 8_000), StreamFormat(.int16, channelCount: 1),
        StreamFormat(.int24, sampleRate: 48_000), StreamFormat(.int32, channelCount: 1, sampleRate: 11_025),
        StreamFormat(.float32, sampleRate: 32_000), StreamFormat(.float32, sampleRate: 22_050),
    ]
    private static let frequency = 440.0
    private static let ownStep = SineBytes.amplitude * 2 * .pi * frequency / 48_000

    private static func steps(_ samples: [Float]) -> Double {
        zip(samples, samples.dropFirst()).map { Double(abs($1 - $0)) }.max() ?? 0
    }

    func testItGoesOnOverChangesOfTheFormat() async throws {
        for (seed, quantum) in [(1, 256), (2, 1000), (3, 64)] {
            var random = SeededGenerator(seed: UInt64(seed))
            let write = try await WriteStage.start()
            var writer = try await write.output.makeWriter(bufferSize: 4096)
            try await write.connect()
            var sine = SineBytes(frequency: Self.frequency)
            var heard: [Float] = []
            /// The place of each format's first frame, when that was made, and the number of frames.
            var parts: [(start: Int, time: Double, frames: Int)] = []
            var place = 0
            for change in 0..<120 {
                let format = change == 0 ? Self.formats[0] : Self.formats.randomElement(using: &random)!
                if change > 0 { try writer.setFormat(format) }
                let rate = format.sampleRate ?? 48_000
                // Some are shorter than a resampler's filter.
                let frames = change == 0 ? 5000 : Int.random(in: 0...(change % 4 == 0 ? 60 : 1500), using: &random)
                parts.append((place, sine.time, frames))
                var written = 0
                while written < frames {
                    let count = Self.write(frames - written, of: &sine, format, into: &writer, &random)
                    written += count
                    // The sound never runs out.
                    if count == 0 || writer.statistics.writtenFrames > UInt64(heard.count) + 3500 {
                        try await write.stage.step(quantum)
                        heard += write.heard(1)
                    }
                }
                place += (frames * 48_000 + rate - 1) / rate
            }
            try writer.setFormat(.float32)
            XCTAssertEqual(Int(writer.statistics.writtenFrames), place, "seed \(seed)")
            // A mark at the end.
            let mark = [Float](repeating: 0.75, count: 200)
            XCTAssertEqual(writer.tryWrite(mark.span), 100)
            try await write.stage.step(quantum, cycles: (4096 + 2048) / quantum + 4)
            heard += write.heard(1)
            let begin = try XCTUnwrap(heard.firstIndex { $0 != 0 })
            let sound = Array(heard[begin..<(begin + place)])
            XCTAssertEqual(
                Array(heard[(begin + place)..<(begin + place + 100)]), Array(mark.prefix(100)), "seed \(seed)")
            XCTAssertLessThan(Self.steps(sound), Self.ownStep * 1.15, "seed \(seed)")
            XCTAssertEqual(writer.statistics.underruns, 0)
            XCTAssertEqual(writer.statistics.droppedFrames, 0)
            var worst = 0.0
            for part in parts where part.frames > 300 {
                for frame in 0..<100 {
                    let expected = sine.value(at: part.time + Double(frame) / 48_000)
                    worst = max(worst, abs(Double(sound[part.start + frame]) - expected))
                }
            }
            // A frame of the graph is more.
            XCTAssertLessThan(worst, Self.ownStep / 2, "seed \(seed)")
            try await write.stage.close()
        }
    }

    /// What was written before the graph's rate changes is played at the old one, also what a resampler holds back.
    func testItGoesOnOverChangesOfTheGraphsRate() async throws {
        for (rate, isLive) in [(44_100, false), (48_000, false), (8_000, false), (96_000, false), (44_100, true)] {
            var random = SeededGenerator(seed: UInt64(rate))
            let write = try await WriteStage.start()
            let format = StreamFormat(.float32, sampleRate: rate)
            var writer = try await write.output.makeWriter(
                format: format, bufferSize: 16_384, liveLatency: isLive ? 4800 : nil)
            try await write.connect()
            var sine = SineBytes(frequency: Self.frequency)
            var expected = 0
            for graphRate in [48_000, 44_100, 96_000, 48_000, 32_000, 44_100, 48_000] {
                try await write.stage.graph.setClock(0, sampleRate: graphRate)
                try await write.stage.step(256)
                let frames = rate / 12 + Int.random(in: 0...100, using: &random)
                var written = 0
                while written < frames {
                    let count = Self.write(frames - written, of: &sine, format, into: &writer, &random)
                    written += count
                    if count == 0 { try await write.stage.step(256) }
                }
                expected += (frames * graphRate + rate - 1) / rate
                // All but what the next rate needs.
                while !isLive, writer.latency.frames > 1024 { try await write.stage.step(256) }
            }
            try writer.setFormat(.float32)
            XCTAssertEqual(Int(writer.statistics.writtenFrames), expected, "\(rate)")
            if !isLive {
                XCTAssertEqual(writer.statistics.droppedFrames, 0)
                XCTAssertEqual(writer.statistics.underruns, 0)
            }
            try await write.stage.close()
        }
    }

    /// Writes some of the next frames, as many as there is room for.
    private static func write(
        _ most: Int, of sine: inout SineBytes, _ format: StreamFormat, into writer: inout Writer,
        _ random: inout SeededGenerator
    ) -> Int {
        let block = sine.bytes(min(Int.random(in: 1...700, using: &random), most), format, channels: 2)
        let count = writer.tryWrite(block.span)
        sine.advance(count, format.sampleRate ?? 48_000)
        return count
    }
}
