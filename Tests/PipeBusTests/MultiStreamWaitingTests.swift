// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// An app may wait until as many frames are there as it wants.
final class MultiStreamWaitingTests: XCTestCase {
    private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(seconds * 1e9)) }
    private static let block = 480

    func testTheNumberGrowsUntilABlockIsThere() throws {
        for (rate, isMixed, pauses) in [
            (48_000, true, [0, 0]), (48_000, false, [0, 0]), (44_100, true, [0, 0]), (48_000, true, [0.046, 0]),
            (48_000, true, [0, 0.046]), (44_100, true, [0, 0.3]), (44_100, false, [0.1, 0.3]),
        ] {
            let what = "\(rate) \(isMixed) \(pauses)"
            let streams = try MultiStream(
                [48_000, rate].map { StreamFormat(.float32, channelCount: 1, sampleRate: $0) }, channelCount: 1)
            var output = try streams.makeOutput()
            let inputs = [Sender(try streams.makeInput(0)), Sender(try streams.makeInput(1))]
            var samples = [Float](repeating: 0, count: Self.block)
            var (read, largest) = (0, 0)
            // 4 seconds in blocks of 10 ms; the pauses are in the middle.
            for round in 0..<400 {
                let now = 10 + Double(round + 1) / 100
                for (index, rate) in [48_000, rate].enumerated() {
                    let begin = now - 0.01
                    if begin >= 12 - 1e-9, begin < 12 + pauses[index] - 1e-9 { continue }
                    let silence = [Float](repeating: 0.1, count: rate / 100)
                    inputs[index].input.write(silence.span, madeAt: Self.time(begin + (begin >= 12 ? 0.002 : 0)))
                }
                while output.availableFrames(at: Self.time(now)) >= Self.block {
                    var span = samples.mutableSpan
                    if isMixed {
                        let count = output.read(into: &span, at: Self.time(now)).frameCount
                        XCTAssertEqual(count, Self.block, what)
                        read += count
                    } else {
                        let count = output.read(into: &span, input: 1, at: Self.time(now)).frameCount
                        XCTAssertGreaterThan(count, 0, what)
                        output.endInterval()
                        read += count
                    }
                }
                largest = max(largest, output.availableFrames(at: Self.time(now)))
            }
            XCTAssertEqual(Double(read), 4 * 48_000, accuracy: 4 * 480, what)
            XCTAssertLessThan(largest, Self.block, what)
            for sender in inputs { XCTAssertEqual(sender.input.droppedFrames, 0, what) }
        }
    }

    /// In a class, because an array holds no input.
    private final class Sender {
        var input: MultiStreamInput

        init(_ input: consuming MultiStreamInput) { self.input = input }
    }
}
