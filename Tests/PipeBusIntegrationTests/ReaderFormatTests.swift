// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Lanes of another rate, and memory of the reader's own.
final class ReaderFormatTests: BusTestCase {
    private static func sine(at position: Double) -> Double {
        0.5 * sin(2 * .pi * (300 * position / 48_000).truncatingRemainder(dividingBy: 1))
    }

    /// Each lane has a resampler, and they stay at one place, whatever is read of which lane.
    func testLanesOfAnotherRateStayInStep() async throws {
        for hasOwnClock in [false, true] {
            let stage = try await Stage.start()
            let input = try await stage.taker.separateReceiver("in", channels: .mono, lanes: 3, fade: .none)
            var reader = try input.makeReader(
                format: StreamFormat(.float32, sampleRate: 44_100), blockSize: 512, hasOwnClock: hasOwnClock)
            for name in ["one", "two"] {
                let sender = try await stage.sender(name, channels: .mono) { position, _ in
                    Float(Self.sine(at: Double(position)))
                }
                try await stage.taker.connect(sender, to: input)
            }
            var (graphTime, checked) = (1.0, [0, 0])
            for interval in 0..<500 {
                let time = 1 + Double(interval * 300) / 44_100
                while graphTime <= time {
                    try await stage.step(256)
                    graphTime += 256.0 / 48_000
                }
                let now = MonotonicTime(nanoseconds: UInt64(time * 1e9))
                for lane in 0..<2 {
                    // The second lane is read in parts, and often not to the end.
                    let parts = lane == 0 ? [300] : [[], [100], [100, 200], [7, 200]][interval % 4]
                    for part in parts {
                        let block = reader.read(part, lane: lane, at: now)
                        let count = block.frameCount
                        XCTAssertEqual(count, part)
                        guard interval > 50 else { continue }
                        XCTAssertTrue(block.result.hasSound)
                        XCTAssertEqual(block.result.lateFrames, 0)
                        let start = (Double(block.timestamp.time.nanoseconds) / 1e9 - 1) * 48_000
                        for frame in block.samples.indices {
                            let expected = Self.sine(at: start + Double(frame) * 48_000 / 44_100)
                            guard abs(Double(block.samples[frame]) - expected) < 0.001 else {
                                return XCTFail(
                                    "own clock \(hasOwnClock), lane \(lane), interval \(interval), frame \(frame) of \(part)"
                                )
                            }
                            checked[lane] += 1
                        }
                    }
                }
                reader.endInterval()
            }
            XCTAssertEqual(reader.statistics.discardedFrames, 0)
            XCTAssertGreaterThan(checked[0], 100_000)
            XCTAssertGreaterThan(checked[1], 50_000)
            try await stage.close()
        }
    }

    func testItsOwnMemoryHasTheFormatsOrder() async throws {
        let stage = try await Stage.start()
        let input = try await stage.taker.receiver("in", lanes: 1, fade: .none, panLaw: .balance)
        let signal: Stage.Signal = { position, channel in Float((position & 0xFF) + Int64(channel) * 256) / 32_768 }
        var planar = try input.makeReader(format: StreamFormat(.float32, isInterleaved: false), blockSize: 500)
        var interleaved = try input.makeReader(blockSize: 500)
        var integers = try input.makeReader(format: StreamFormat(.int16, isDithered: false), blockSize: 500)
        let sender = try await stage.sender("out", channels: .stereo, signal)
        try await stage.taker.connect(sender, to: input)
        try await stage.step(1000, cycles: 10)
        for _ in 0..<3 {
            let first = planar.read(500)
            let second = interleaved.read(500)
            let third = integers.read(500)
            for frame in 0..<500 {
                for channel in 0..<2 {
                    // What was before the first frame is silence.
                    let position = first.timestamp.position + Int64(frame)
                    let expected = position < 8000 ? 0 : signal(position, channel)
                    XCTAssertEqual(first[channel][frame], expected)
                    XCTAssertEqual(second.samples[2 * frame + channel], expected)
                    let index = 4 * frame + 2 * channel
                    XCTAssertEqual(Int(third.bytes[index]) | Int(third.bytes[index + 1]) << 8, Int(expected * 32_768))
                }
            }
            let (channels, bytes) = (first.channelCount, first.bytes.count)
            XCTAssertEqual(channels, 2)
            XCTAssertEqual(bytes, 500 * 8)
        }
        let empty = planar.read(0)
        let count = empty.frameCount
        XCTAssertEqual(count, 0)
        try await stage.close()
    }
}
