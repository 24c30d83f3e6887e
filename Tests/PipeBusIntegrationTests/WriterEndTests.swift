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
