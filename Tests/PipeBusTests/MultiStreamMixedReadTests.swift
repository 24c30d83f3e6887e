// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// An output that is read both ways: each frame is given once, and all inputs stay in step.
final class MultiStreamMixedReadTests: XCTestCase {
    private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(seconds * 1e9)) }

    private func test(_ readRest: (inout MultiStreamOutput, MonotonicTime) -> MultiStreamResult) throws {
        let format = StreamFormat(.float32, channelCount: 1, sampleRate: 48_000)
        let streams = try MultiStream([format, format], channelCount: 1)
        var output = try streams.makeOutput()
        var first = try streams.makeInput(0)
        var second = try streams.makeInput(1)
        let block = [Float](repeating: 0.5, count: 4800)
        first.write(block.span, madeAt: Self.time(10))
        second.write(block.span, madeAt: Self.time(10))
        let whole = output.availableFrames(at: Self.time(10.1))
        XCTAssertGreaterThan(whole, 4000)
        var samples = [Float](repeating: 0, count: 1000)
        var span = samples.mutableSpan
        XCTAssertEqual(output.read(into: &span, input: 0, at: Self.time(10.1)).frameCount, 1000)
        let rest = readRest(&output, Self.time(10.1))
        XCTAssertEqual(rest.frameCount, whole - 1000)
        XCTAssertEqual(Double(rest.time.nanoseconds) / 1e9, 10 + 1000 / 48_000, accuracy: 1e-4)
        XCTAssertEqual(output.availableFrames(at: Self.time(10.1)), 0)
    }

    func testTheMixGoesOnAfterWhatWasReadOfAnInput() throws {
        try test {
            var samples = [Float](repeating: 0, count: 10_000)
            var span = samples.mutableSpan
            let result = $0.read(into: &span, at: $1)
            // The sum of both inputs.
            for frame in 100..<(result.frameCount - 100) { XCTAssertEqual(span[frame], 1, accuracy: 0.01) }
            return result
        }
    }

    func testFramesAreLeftOutAfterWhatWasReadOfAnInput() throws {
        try test { $0.discard(10_000, at: $1) }
    }
}
