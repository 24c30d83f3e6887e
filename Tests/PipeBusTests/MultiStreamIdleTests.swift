// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// What an input has written is heard, also when it writes no more.
final class MultiStreamIdleTests: XCTestCase {
    private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(seconds * 1e9)) }

    func testWhatWasWrittenBeforeIsRead() throws {
        for rates in [[48_000], [48_000, 44_100]] {
            let streams = try MultiStream(
                rates.map { StreamFormat(.float32, channelCount: 1, sampleRate: $0) }, channelCount: 1)
            var output = try streams.makeOutput()
            for index in rates.indices {
                var input = try streams.makeInput(index)
                let block = [Float](repeating: 0.25, count: rates[index] / 10)
                input.write(block.span, madeAt: Self.time(10))
                if index == 0 { input.markIdle() }
            }
            var samples = [Float](repeating: 0, count: 500)
            var sum = 0
            for read in 0..<100 {
                var span = samples.mutableSpan
                let result = output.read(into: &span, at: Self.time(10.1 + Double(read) / 100))
                if result.frameCount == 0 { break }
                sum += result.frameCount
                let level: Float = rates.count == 1 || sum < 4700 ? 0.25 * Float(rates.count) : samples[0]
                XCTAssertEqual(samples[0], level, accuracy: sum > 1000 ? 0.001 : 0.5)
            }
            // What a resampler needs for the last frames is silence.
            XCTAssertEqual(Double(sum), 4800, accuracy: rates.count == 1 ? 0 : 200, "\(rates)")
        }
    }

    /// Before its first write an input is silent, and nothing waits for it, of the reference either.
    func testWhatIsNotWrittenYetIsNotWaitedFor() throws {
        for later in 0..<2 {
            let streams = try MultiStream(
                [48_000, 48_000].map { StreamFormat(.float32, channelCount: 1, sampleRate: $0) }, channelCount: 1)
            let inputs = try (0..<2).map {
                RampInput(try streams.makeInput($0), rate: 48_000, block: 480, start: $0 == later ? 33 : 32)
            }
            var output = try streams.makeOutput()
            var frames = 0
            for round in 1...300 {
                let now = 32 + Double(round) / 100
                for input in inputs { input.run(until: now) }
                output.readAll(at: now) { input, samples, result in
                    guard result.frameCount > 0 else { return }
                    if input == 0 { frames += result.frameCount }
                    let begins = input == later && now < 33.5
                    let lateness = RampInput.lateness(of: samples[0], after: Double(result.time.nanoseconds) / 1e9)
                    if now < 33 {
                        XCTAssertEqual(lateness == nil, input == later, "\(later) \(input) at \(now)")
                    } else if !begins {
                        XCTAssertEqual(lateness ?? 9, 0, accuracy: 0.003, "\(later) \(input) at \(now)")
                    }
                }
            }
            XCTAssertEqual(Double(frames), 3 * 48_000, accuracy: 2000, "\(later)")
        }
    }
}
