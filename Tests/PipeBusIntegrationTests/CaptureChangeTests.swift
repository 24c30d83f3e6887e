// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// A capture whose format changes while sound comes: a sine goes on, and nothing is missing.
final class CaptureChangeTests: BusTestCase {
    private static func sine(at position: Double) -> Double {
        0.5 * sin(2 * .pi * (441 * position / 48_000).truncatingRemainder(dividingBy: 1))
    }

    /// A capture has every frame, and the sound goes on.
    func testACaptureGoesOn() async throws {
        for quantum in [64, 256, 1000, 2048] {
            var random = SeededGenerator(seed: UInt64(quantum))
            let stage = try await Stage.start()
            let input = try await stage.taker.receiver("in", channels: .stereo, lanes: 1, fade: .none, panLaw: .balance)
            let capture = try input.makeCapture()
            let sender = try await stage.sender("out", channels: .stereo) { position, _ in
                Float(Self.sine(at: Double(position)))
            }
            try await stage.taker.connect(sender, to: input)
            let formats = [
                StreamFormat(.float32), StreamFormat(.float32, sampleRate: 44_100),
                StreamFormat(.int16, sampleRate: 96_000, isDithered: false), StreamFormat(.float32, sampleRate: 8_000),
                StreamFormat(.int24, isDithered: false), StreamFormat(.float32, channelCount: 1, sampleRate: 32_000),
            ]
            // The end of the last block, in seconds, and the whole length.
            var (end, seconds, worst, gap, changes) = (nil as Double?, 0.0, 0.0, 0.0, 0)
            var rate = 48_000
            func read() {
                while let block = capture.read(upTo: Int.random(in: 1...3000, using: &random)) {
                    let start = Double(block.timestamp.time.nanoseconds) / 1e9
                    if let end { gap = max(gap, abs(start - end) * 48_000) }
                    if block.sampleRate != rate { changes += 1 }
                    rate = block.sampleRate
                    end = start + Double(block.frameCount) / Double(rate)
                    seconds += Double(block.frameCount) / Double(rate)
                    let samples = ReaderChangeTests.first(block.bytes, block.format, channels: 2)
                    for (frame, sample) in samples.enumerated() where start > 1.02 {
                        let position = (start - 1) * 48_000 + Double(frame) * 48_000 / Double(rate)
                        worst = max(worst, abs(sample - Self.sine(at: position)))
                    }
                    XCTAssertEqual(block.droppedFrames, 0)
                    XCTAssertEqual(block.missedFrames, 0)
                }
            }
            var frames = 0
            for _ in 0..<60 {
                let cycles = Int.random(in: 1...max(1, 6000 / quantum), using: &random)
                try await stage.step(quantum, cycles: cycles)
                frames += quantum * cycles
                read()
                try capture.setFormat(formats.randomElement(using: &random)!)
            }
            try capture.setFormat(.float32)
            try await stage.step(quantum)
            frames += quantum
            read()
            XCTAssertLessThan(worst, 0.0005, "\(quantum)")
            // The end of each format's sound is rounded up to a frame, of 8 kHz at most.
            XCTAssertLessThan(gap, 6, "\(quantum)")
            let length = seconds * 48_000 - Double(frames)
            XCTAssertGreaterThan(length, -0.01, "\(quantum)")
            XCTAssertLessThan(length, 6 * Double(changes), "\(quantum)")
            try await stage.close()
        }
    }
}
