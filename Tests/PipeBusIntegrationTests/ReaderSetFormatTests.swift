// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A format that is changed while nothing is connected: the reader knows no old sound, and its time goes on.
final class ReaderSetFormatTests: BusTestCase {
    /// An app that reads a hundred times a second, on the stepper's time.
    private final class Scene {
        let stage: Stage
        let sender: SenderPort
        let input: ReceiverPort
        private(set) var time = 1.0
        private(set) var call = 1.0

        init() async throws {
            stage = try await Stage.start()
            sender = try await stage.sender("out") { _, _ in 0.5 }
            input = try await stage.taker.receiver("in", channels: .mono, lanes: 1, fade: .none, panLaw: .balance)
        }

        func run(_ seconds: Double, _ read: (Double) -> Void) async throws {
            let end = time + seconds
            while time < end {
                try await stage.step(256)
                time += 256.0 / 48_000
                while call < time {
                    read(call)
                    call += 0.01
                }
            }
        }
    }

    func testTheTimeGoesOnWhileNothingIsConnected() async throws {
        for hasOwnClock in [false, true] {
            let scene = try await Scene()
            let format = StreamFormat(.float32, sampleRate: 44_100)
            var reader = try scene.input.makeReader(format: format, hasOwnClock: hasOwnClock)
            var (last, shortest, longest) = (0.0, Double.infinity, 0.0)
            func read(at call: Double) {
                let result = reader.read(441, at: MonotonicTime(nanoseconds: UInt64(call * 1e9))).result
                let made = Double(result.timestamp.time.nanoseconds) / 1e9
                if last > 0 { (shortest, longest) = (min(shortest, made - last), max(longest, made - last)) }
                last = made
            }
            try await scene.stage.taker.connect(scene.sender, to: scene.input)
            try await scene.run(1, read)
            try await scene.stage.taker.disconnect(scene.sender, from: scene.input)
            try await scene.run(3, read)
            (shortest, longest) = (.infinity, 0)
            try reader.setFormat(StreamFormat(.int16, sampleRate: 44_100))
            try await scene.run(0.5, read)
            try reader.setFormat(StreamFormat(.int16, sampleRate: hasOwnClock ? 48_000 : nil))
            func readOther(at call: Double) {
                let result = reader.read(480, at: MonotonicTime(nanoseconds: UInt64(call * 1e9))).result
                let made = Double(result.timestamp.time.nanoseconds) / 1e9
                (shortest, longest) = (min(shortest, made - last), max(longest, made - last))
                last = made
            }
            try await scene.run(0.5, readOther)
            // A resampler's delay, of some millisecond, comes and goes.
            XCTAssertGreaterThan(shortest, 0.007)
            XCTAssertLessThan(longest, 0.013)
            try await scene.stage.close()
        }
    }

    /// As without a change of the format.
    func testNothingIsLostAtTheNextConnection() async throws {
        for (away, hasOwnClock) in [(0.1, false), (0.103, false), (1, false), (0.1, true)] {
            let what = "\(away) \(hasOwnClock)"
            let scene = try await Scene()
            var reader = try scene.input.makeReader(
                format: StreamFormat(.float32, sampleRate: 44_100), hasOwnClock: hasOwnClock)
            var (silent, isHeard, oldest) = (0, false, 0.0)
            func read(at call: Double) {
                let block = reader.read(441, at: MonotonicTime(nanoseconds: UInt64(call * 1e9)))
                oldest = max(oldest, call - Double(block.timestamp.time.nanoseconds) / 1e9)
                for frame in block.samples.indices {
                    let isSilent = abs(block.samples[frame]) < 0.4
                    isHeard = isHeard || !isSilent
                    if isHeard, isSilent { silent += 1 }
                }
            }
            try await scene.stage.taker.connect(scene.sender, to: scene.input)
            try await scene.run(2, read)
            try await scene.stage.taker.disconnect(scene.sender, from: scene.input)
            try await scene.run(away, read)
            try reader.setFormat(StreamFormat(.float32, channelCount: 1, sampleRate: 44_100))
            try await scene.run(0.0095, read)
            try await scene.stage.taker.connect(scene.sender, to: scene.input)
            (silent, isHeard, oldest) = (0, false, 0)
            let before = reader.statistics
            try await scene.run(2, read)
            XCTAssertTrue(isHeard, what)
            XCTAssertEqual(silent, 0, what)
            XCTAssertLessThan(oldest, 0.06, what)
            // The resampler's delay at most; what is left of the old sound has been counted before.
            XCTAssertLessThan(reader.statistics.discardedFrames - before.discardedFrames, 800, what)
            try await scene.stage.close()
        }
    }

    func testTheLatencyIsKnownBeforeTheFirstCycle() async throws {
        let stage = try await Stage.start()
        let input = try await stage.taker.receiver("in", channels: .mono, lanes: 1)
        let format = StreamFormat(.float32, sampleRate: 8_000)
        for hasOwnClock in [false, true] {
            var reader = try input.makeReader(format: format, blockSize: 480, hasOwnClock: hasOwnClock)
            // Two announced cycles, a resampler, and what the errors of a clock need.
            let expected = 2048 + 275 + (hasOwnClock ? 144 : 0)
            XCTAssertEqual(reader.latency.frames, expected, accuracy: 1)
            let first = reader.latency
            _ = reader.read(80)
            XCTAssertEqual(reader.latency, first)
            try reader.setFormat(format)
            XCTAssertEqual(reader.latency, first)
            _ = reader.read(80)
            XCTAssertEqual(reader.latency, first)
            XCTAssertEqual(first.sampleRate, 48_000)
        }
        try await stage.close()
    }
}
