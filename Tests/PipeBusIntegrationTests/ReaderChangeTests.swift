// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// A reader whose format changes while sound comes: all that came is given, or counted.
final class ReaderChangeTests: BusTestCase {
    /// The first channel of samples, whatever the format.
    static func first(_ bytes: [UInt8], _ format: StreamFormat, channels portChannels: Int) -> [Double] {
        let size = format.sample.byteCount
        let stride = size * (format.isInterleaved ? format.channelCount ?? portChannels : 1)
        let frames = bytes.count / size / (format.channelCount ?? portChannels)
        return (0..<frames).map { frame in
            var bits: UInt32 = 0
            for byte in (0..<size).reversed() { bits = bits << 8 | UInt32(bytes[frame * stride + byte]) }
            switch format.sample {
            case .float32: return Double(Float(bitPattern: bits))
            case .int16: return Double(Int16(truncatingIfNeeded: bits)) / 32_768
            case .int24: return Double(Int32(bitPattern: bits << 8)) / 2_147_483_648
            case .int32: return Double(Int32(bitPattern: bits)) / 2_147_483_648
            }
        }
    }

    /// At the graph's rate the sound goes on as if nothing had happened.
    func testAReaderGoesOnAtTheGraphsRate() async throws {
        var random = SeededGenerator(seed: 5)
        let stage = try await Stage.start()
        let input = try await stage.taker.receiver("in", lanes: 1, panLaw: .balance)
        var reader = try input.makeReader(blockSize: 512)
        // Exact on a grid of 2^-15.
        let sender = try await stage.sender("out", channels: .stereo) { position, _ in
            Float((position &* 7) & 0xFFFF) / 32_768 - 1
        }
        try await stage.taker.connect(sender, to: input)
        let formats = [
            StreamFormat(.float32), StreamFormat(.int16, isDithered: false), StreamFormat(.int24, isDithered: false),
            StreamFormat(.int32, isInterleaved: false), StreamFormat(.float32, channelCount: 1),
            StreamFormat(.float32, isInterleaved: false, sampleRate: 48_000),
        ]
        var (asked, stepped, next, discarded) = (0, 0, nil as Int64?, UInt64(0))
        for _ in 0..<300 {
            while stepped < asked + 1024 {
                try await stage.step(256)
                stepped += 256
            }
            let format = formats.randomElement(using: &random)!
            try reader.setFormat(format)
            let count = Int.random(in: 1...512, using: &random)
            var bytes = [UInt8](repeating: 0, count: count * (format.channelCount ?? 2) * format.sample.byteCount)
            var span = bytes.mutableSpan
            let result = reader.read(into: &span)
            asked += count
            guard asked > 8192 else {
                discarded = reader.statistics.discardedFrames
                continue
            }
            let start = result.timestamp.position
            if let next { XCTAssertEqual(start, next) }
            next = start + Int64(count)
            XCTAssertEqual(result.lateFrames, 0)
            let samples = Self.first(bytes, format, channels: 2)
            for frame in 0..<count {
                let expected = Double(((start + Int64(frame)) &* 7) & 0xFFFF) / 32_768 - 1
                guard samples[frame] == min(expected, 32_767.0 / 32_768) else {
                    return XCTFail("frame \(frame) of \(count), \(format)")
                }
            }
        }
        XCTAssertEqual(reader.statistics.discardedFrames, discarded)
        try await stage.close()
    }

    /// What a resampler held back is left out, and counted.
    func testAReadersResamplersAreCounted() async throws {
        for quantum in [64, 256, 1000] {
            var random = SeededGenerator(seed: UInt64(quantum))
            let stage = try await Stage.start()
            let input = try await stage.taker.receiver("in", channels: .mono, lanes: 1, fade: .none, panLaw: .balance)
            var reader = try input.makeReader(format: StreamFormat(.float32, sampleRate: 44_100), blockSize: 1024)
            let sender = try await stage.sender("out", channels: .mono) { _, _ in 0.5 }
            try await stage.taker.connect(sender, to: input)
            var (asked, stepped, heard) = (0.0, 0, 0.0)
            func read(_ seconds: Double) async throws {
                let end = asked + seconds
                let rate = Double(reader.format.sampleRate ?? 48_000)
                while asked < end {
                    while Double(stepped) / 48_000 < asked + 0.03 {
                        try await stage.step(quantum)
                        stepped += quantum
                    }
                    let count = Int.random(in: 1...Int(rate / 48), using: &random)
                    asked += Double(count) / rate
                    let block = reader.read(count)
                    for frame in block.samples.indices where block.samples[frame] > 0.25 { heard += 48_000 / rate }
                }
            }
            let changes = 40
            for _ in 0..<changes {
                try await read(Double.random(in: 0...0.1, using: &random))
                let rate = [nil, 8_000, 44_100, 48_000, 96_000].randomElement(using: &random)!
                try reader.setFormat(StreamFormat(.float32, sampleRate: rate))
            }
            try reader.setFormat(.float32)
            try await read(1)
            // All that waits.
            while true {
                let block = reader.read(16)
                heard += Double(block.samples.indices.filter { block.samples[$0] > 0.25 }.count)
                guard block.result.hasSound else { break }
            }
            let statistics = reader.statistics
            // A change takes up to a frame of the lowest rate more or less.
            XCTAssertEqual(Double(statistics.givenFrames), heard, accuracy: Double(2 * changes), "\(quantum)")
            XCTAssertEqual(Int(statistics.givenFrames + statistics.discardedFrames), stepped, "\(quantum)")
            try await stage.close()
        }
    }
}
