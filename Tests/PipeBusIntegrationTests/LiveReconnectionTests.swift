// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Live sound goes on while nothing hears it, and is heard again.
final class LiveReconnectionTests: BusTestCase {
    /// Nothing of the sound before is heard, and the silence until the new sound has its age is no underrun.
    func testSoundBeginsAnewAfterADisconnection() async throws {
        let latency = 2000
        for hasOwnClock in [false, true] {
            let write = try await WriteStage.start(channels: .mono)
            var writer = try await write.output.makeWriter(
                format: StreamFormat(.float32, sampleRate: hasOwnClock ? 48_000 : nil), bufferSize: 1 << 17,
                liveLatency: latency, hasOwnClock: hasOwnClock)
            try await write.connect()
            try await write.stage.step(256)
            let first = try XCTUnwrap(write.capture.read())
            let start = first.timestamp.time.nanoseconds + UInt64(latency + first.frameCount) * 1_000_000_000 / 48_000
            var made = 0
            let block = [Float](repeating: 1, count: 256)
            func run(_ cycles: Int) async throws {
                for _ in 0..<cycles {
                    let time = MonotonicTime(nanoseconds: start + UInt64(made) * 1_000_000_000 / 48_000)
                    XCTAssertEqual(writer.tryWrite(block.span, madeAt: time), 256)
                    made += 256
                    try await write.stage.step(256)
                }
            }
            try await run(100)
            XCTAssertEqual(try XCTUnwrap(write.heard().last), 1, accuracy: 0.001)
            for round in 0..<4 {
                let what = "hasOwnClock \(hasOwnClock), round \(round)"
                try await write.stage.taker.disconnect(write.output, from: write.input)
                try await run(20 + 30 * round)
                _ = write.heard()
                try await write.connect()
                try await run(100)
                let heard = write.heard()
                XCTAssertEqual(try XCTUnwrap(heard.first), 0, accuracy: 0.001, what)
                // A raised cosine of 240 frames; and a resampler's overshoot.
                let steepest: Float = .pi / 2 / 240 * 1.1
                for frame in 1..<heard.count where abs(heard[frame] - heard[frame - 1]) > steepest {
                    return XCTFail("\(what): from \(heard[frame - 1]) to \(heard[frame]) at frame \(frame)")
                }
                XCTAssertEqual(try XCTUnwrap(heard.last), 1, accuracy: 0.001, what)
                XCTAssertEqual(writer.statistics.underruns, 0, what)
                XCTAssertEqual(writer.statistics.underrunFrames, 0, what)
            }
            try await write.stage.close()
        }
    }
}
