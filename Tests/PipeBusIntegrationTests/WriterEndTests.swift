// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// All that a writer has taken is heard, also what a resampler holds back at the end.
final class WriterEndTests: BusTestCase {
    private static let latency = 4800
    private static let level: Float = 0.5

    private enum End: CaseIterable { case finished, released }

    func testTheEndOfLiveSoundIsHeardInItsTime() async throws {
        for end in End.allCases {
            for (rate, hasOwnClock) in [
                (48_000, false), (48_000, true), (44_100, false), (44_100, true), (8000, false),
            ] {
                let what = "\(rate) \(hasOwnClock) \(end)"
                let write = try await WriteStage.start(channels: .mono)
                try await write.connect()
                let writer = try await write.output.makeWriter(
                    format: StreamFormat(.float32, sampleRate: rate), liveLatency: Self.latency,
                    hasOwnClock: hasOwnClock)
                try await eventually("the latency") {
                    try await write.input.sources.first?.latency.frames == Self.latency
                }
                try await write.stage.step(256)
                let first = try XCTUnwrap(write.capture.read())
                // Its time is that of the sound, so the next cycle is that much later.
                let start = Int(first.timestamp.position) + Self.latency + first.frameCount
                let made = first.timestamp.time.nanoseconds + UInt64(Self.latency + 256) * 1_000_000_000 / 48_000
                try await play(writer, rate / 10, madeAt: MonotonicTime(nanoseconds: made), end, write.stage)
                try await write.stage.step(256, cycles: 60)
                let heard = range(write.capture)
                XCTAssertEqual(Double(heard.lowerBound), Double(start), accuracy: 3, what)
                XCTAssertEqual(Double(heard.upperBound), Double(start + 4800), accuracy: 6, what)
                try await write.stage.close()
            }
        }
    }

    func testTheEndOfAReleasedWritersSoundIsHeard() async throws {
        for rate in [48_000, 44_100, 8000, 384_000] {
            let write = try await WriteStage.start(channels: .mono)
            try await write.connect()
            let writer = try await write.output.makeWriter(
                format: StreamFormat(.float32, sampleRate: rate), bufferSize: 1 << 13)
            try await play(writer, rate / 10, madeAt: .now, .released, write.stage)
            try await write.stage.step(256, cycles: 60)
            XCTAssertEqual(Double(range(write.capture).count), 4800, accuracy: 8, "\(rate)")
            try await write.stage.close()
        }
    }

    /// With a resampler, too, the last frame decays: there is no step to silence.
    func testTheEndOfASoundDecays() async throws {
        for end in End.allCases {
            for rate in [nil, 48_000, 44_100, 96_000, 8000] {
                let what = "\(rate ?? 0) \(end)"
                let write = try await WriteStage.start(channels: .mono)
                try await write.connect()
                let writer = try await write.output.makeWriter(format: StreamFormat(.float32, sampleRate: rate))
                try await play(writer, (rate ?? 48_000) / 10, madeAt: .now, end, write.stage)
                try await write.stage.step(256, cycles: 60)
                let heard = write.heard()
                let begin = try XCTUnwrap(heard.firstIndex { $0 > 0.999 * Self.level })
                let steps = zip(heard[begin...], heard[begin...].dropFirst()).map { abs($1 - $0) }
                // A resampler rings after the beginning, by a tenth.
                XCTAssertLessThan(steps.dropFirst(300).max() ?? 1, 0.005, what)
                XCTAssertLessThan(steps.max() ?? 1, 0.2 * Self.level, what)
                XCTAssertEqual(heard.last, 0, what)
                try await write.stage.close()
            }
        }
    }

    /// A buffer that is full has room for the end of a resampler's sound, and what is in it comes first.
    func testTheEndOfASoundInAFullBufferIsHeard() async throws {
        for rate in [44_100, 96_000, 8000] {
            let write = try await WriteStage.start(channels: .mono)
            var writer = try await write.output.makeWriter(
                format: StreamFormat(.float32, sampleRate: rate), bufferSize: 4096)
            let taken = writer.tryWrite([Float](repeating: Self.level, count: 2 * rate).span)
            XCTAssertEqual(writer.writableFrames, 0)
            let box = WriterBox(writer)
            try await write.connect()
            try await write.stage.stepping(256) { try await box.finish() }
            try await write.stage.step(256, cycles: 4)
            let frames = (taken * 48_000 + rate - 1) / rate
            XCTAssertEqual(Double(range(write.capture).count), Double(frames), accuracy: 8, "\(rate)")
            try await write.stage.close()
        }
    }

    /// Without a connection a writer finishes at once that has nothing to play: nothing was written, or all of it was played.
    func testNothingIsWaitedForWhereNothingIsLeft() async throws {
        for rate in [nil, 48_000, 44_100, 8000] {
            for isPlayed in [false, true] {
                let write = try await WriteStage.start(channels: .mono)
                var writer = try await write.output.makeWriter(format: StreamFormat(.float32, sampleRate: rate))
                if isPlayed {
                    try await write.connect()
                    XCTAssertEqual(writer.tryWrite([Float](repeating: Self.level, count: 1000).span), 1000)
                    try await write.stage.step(256, cycles: 60)
                    try await write.stage.taker.disconnect(write.output, from: write.input)
                    try await eventually("the end of the connection") { !write.output.isConnected }
                }
                let (task, isDone) = WriterBox(writer).startFinishing()
                defer { task.cancel() }
                try await eventually("the end, \(rate ?? 0) \(isPlayed)") { isDone.isRaised }
                try await task.value
                try await write.stage.close()
            }
        }
    }

    private func play(
        _ writer: consuming Writer, _ frames: Int, madeAt time: MonotonicTime, _ end: End, _ stage: borrowing Stage
    ) async throws {
        XCTAssertEqual(writer.tryWrite([Float](repeating: Self.level, count: frames).span, madeAt: time), frames)
        guard end == .finished else { return }
        let box = WriterBox(writer)
        try await stage.stepping(256) { try await box.finish() }
    }

    /// The positions at which sound is heard. The decay after it is at its level for some frames more.
    private func range(_ capture: Capture) -> Range<Int> {
        var (first, end) = (Int.max, 0)
        while let block = capture.read() {
            for (frame, sample) in block[0].enumerated() where sample > 0.5 * Self.level {
                first = min(first, Int(block.timestamp.position) + frame)
                if sample > 0.999 * Self.level { end = Int(block.timestamp.position) + frame + 1 }
            }
        }
        return min(first, end)..<end
    }
}
