// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// A capture in formats of the app's own.
final class CaptureFormatTests: BusTestCase {
    private static let frequency = 441.0

    private static func sine(at position: Double) -> Double {
        0.5 * sin(2 * .pi * (frequency * position / 48_000).truncatingRemainder(dividingBy: 1))
    }

    /// Exact on a grid of 2^-15.
    private static let steps: Stage.Signal = { position, channel in
        Float((position &* 7 &+ Int64(1009 * channel)) & 0xFFFF) / 32_768 - 1
    }

    func testIntegersAreExact() async throws {
        for (sample, bits) in [(StreamFormat.Sample.int16, 16), (.int24, 24), (.int32, 32)] {
            for isInterleaved in [true, false] {
                let stage = try await Stage.start()
                let input = try await stage.taker.receiver("in", lanes: 1, fade: .none, panLaw: .balance)
                let capture = try input.makeCapture(
                    format: StreamFormat(sample, isInterleaved: isInterleaved, isDithered: false))
                let sender = try await stage.sender("out", channels: .stereo, Self.steps)
                try await stage.taker.connect(sender, to: input)
                try await stage.step(1000, cycles: 20)
                var frames = 0
                while let block = capture.read(upTo: 333) {
                    XCTAssertEqual(block.channelCount, 2)
                    let (bytes, size) = (block.bytes, bits / 8)
                    XCTAssertEqual(bytes.count, block.frameCount * 2 * size)
                    for frame in 0..<block.frameCount {
                        for channel in 0..<2 {
                            let index = isInterleaved ? frame * 2 + channel : channel * block.frameCount + frame
                            var value = 0
                            for byte in (0..<size).reversed() { value = value << 8 | Int(bytes[index * size + byte]) }
                            if value >= 1 << (bits - 1) { value -= 1 << bits }
                            let wanted = Self.steps(block.timestamp.position + Int64(frame), channel)
                            XCTAssertEqual(value, Int(wanted * 32_768) << (bits - 16))
                        }
                    }
                    frames += block.frameCount
                }
                XCTAssertEqual(frames, 20_000)
                try await stage.close()
            }
        }
    }

    /// Every frame is the sound at its time, and none is missing, over gaps, in blocks of any size.
    func testAnotherRate() async throws {
        for rate in [44_100, 8_000, 96_000, 384_000] {
            let stage = try await Stage.start()
            let input = try await stage.taker.receiver(
                "in", channels: .mono, lanes: 1, fade: .none, panLaw: .balance)
            let capture = try input.makeCapture(format: StreamFormat(.float32, channelCount: 2, sampleRate: rate))
            let plain = try input.makeCapture()
            let sender = try await stage.sender("out", channels: .mono) { position, _ in
                Float(Self.sine(at: Double(position)))
            }
            var numbers = SeededGenerator(seed: UInt64(rate))
            for _ in 0..<5 {
                try await stage.taker.connect(sender, to: input)
                for _ in 0..<20 { try await stage.step(Int.random(in: 64...2048, using: &numbers)) }
                try await stage.taker.disconnect(sender, from: input)
                try await stage.step(256, cycles: 3)
            }
            try await stage.close()
            let arrived = runs(of: plain) { _ in .max }
            let heard = runs(of: capture) { _ in Int.random(in: 1...5000, using: &numbers) }
            XCTAssertTrue(capture.isAtEnd)
            XCTAssertEqual(heard.count, arrived.count, "\(rate)")
            for (run, original) in zip(heard, arrived) {
                let wanted = Double(original.frames.count) * Double(rate) / 48_000
                XCTAssertEqual(Double(run.frames.count), wanted, accuracy: 1.01, "\(rate)")
                XCTAssertEqual(run.start, original.start, accuracy: 1e-6, "\(rate)")
                // The filter rings where the sound is cut off.
                let edge = rate / 200
                for frame in stride(from: edge, to: run.frames.count - edge, by: 7) {
                    let position = (run.start - 1) * 48_000 + Double(frame) * 48_000 / Double(rate)
                    guard abs(Double(run.frames[frame]) - Self.sine(at: position)) < 0.0005 else {
                        return XCTFail("\(rate): frame \(frame) of \(run.frames.count)")
                    }
                }
            }
        }
    }

    /// Sound without a gap.
    private struct Run {
        /// The time of its first frame, in seconds.
        let start: Double
        var frames: [Float]
    }

    private func runs(of capture: Capture, limit: (Int) -> Int) -> [Run] {
        var runs: [Run] = []
        while let block = capture.read(upTo: limit(runs.count)) {
            let start = Double(block.timestamp.time.nanoseconds) / 1e9
            if block.isContinuation, let run = runs.last {
                // Each block is where the last one ended.
                let end = run.start + Double(run.frames.count) / Double(block.sampleRate)
                XCTAssertEqual(start, end, accuracy: 1e-6)
                runs[runs.count - 1].frames += block[0]
            } else {
                runs.append(Run(start: start, frames: Array(block[0])))
            }
            if block.channelCount == 2 { XCTAssertEqual(Array(block[0]), Array(block[1])) }
        }
        return runs
    }

    /// Two lanes: what a resampler holds back of one comes before later sound of the other, though its lane stays empty.
    func testTheRestOfASourceComesBeforeLaterSound() async throws {
        let stage = try await Stage.start()
        let input = try await stage.taker.separateReceiver(
            "in", channels: .mono, lanes: 2, alignment: .immediate, fade: .none)
        let capture = try input.makeCapture(format: StreamFormat(.float32, sampleRate: 44_100))
        let first = try await stage.sender("first", channels: .mono) { position, _ in
            Float(Self.sine(at: Double(position)))
        }
        let second = try await stage.sender("second", channels: .mono) { _, _ in 0.5 }
        try await stage.taker.connect(first, to: input)
        try await stage.stepping(256) { try await stage.taker.connect(second, to: input) }
        try await stage.step(256, cycles: 20)
        try await stage.taker.disconnect(first, from: input)
        try await stage.step(256, cycles: 20)
        var seconds = 0.0
        while let block = capture.read() {
            if block.lane == 0 { seconds += Double(block.frameCount) / 44_100 }
        }
        // Whole cycles, although the lane has stayed empty.
        let frames = seconds * 48_000
        XCTAssertEqual(frames, (frames / 256).rounded() * 256, accuracy: 2)
        XCTAssertGreaterThan(seconds, 20 * 256 / 48_000)
        try await stage.close()
    }

    func testABlocksFormatIsTheCaptures() async throws {
        let stage = try await Stage.start()
        let input = try await stage.taker.receiver("in", lanes: 1, fade: .none, panLaw: .balance)
        let capture = try input.makeCapture(format: StreamFormat(.float32, isInterleaved: false))
        let sender = try await stage.sender("out", channels: .stereo, Self.steps)
        try await stage.taker.connect(sender, to: input)
        try await stage.step(100)
        let block = try XCTUnwrap(capture.read())
        XCTAssertEqual(block.format, capture.format)
        XCTAssertEqual(block.graphSampleRate, 48_000)
        let planar = Array(block[0]) + Array(block[1])
        let bytes = planar.flatMap { sample in
            (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * $0)) }
        }
        XCTAssertEqual(block.bytes, bytes)
        try await stage.close()
    }

    /// The format changes while sound comes: the old one's last frames are still there.
    func testTheFormatIsChangedWhileItRuns() async throws {
        let stage = try await Stage.start()
        let input = try await stage.taker.receiver("in", channels: .mono, lanes: 1, fade: .none, panLaw: .balance)
        let capture = try input.makeCapture(format: StreamFormat(.float32, sampleRate: 44_100))
        let sender = try await stage.sender("out", channels: .mono) { position, _ in
            Float(Self.sine(at: Double(position)))
        }
        try await stage.taker.connect(sender, to: input)
        var seconds: [Int: Double] = [:]
        for (index, rate) in [44_100, 48_000, 22_050, nil, 44_100].enumerated() {
            try capture.setFormat(StreamFormat(.float32, sampleRate: rate))
            XCTAssertEqual(capture.format.sampleRate, rate)
            try await stage.step(256, cycles: 40)
            while let block = capture.read() {
                seconds[index, default: 0] += Double(block.frameCount) / Double(block.sampleRate)
            }
        }
        XCTAssertThrowsError(try capture.setFormat(StreamFormat(.int16, sampleRate: 1)))
        try await stage.close()
        while let block = capture.read() {
            seconds[4, default: 0] += Double(block.frameCount) / Double(block.sampleRate)
        }
        XCTAssertEqual(seconds.values.reduce(0, +), 5 * 40 * 256 / 48_000, accuracy: 0.0002)
        for length in seconds.values { XCTAssertEqual(length, 40 * 256 / 48_000, accuracy: 0.003) }
    }
}
