// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// The number of frames that are there is what the next read gives, or less.
final class MultiStreamAvailableTests: XCTestCase {
    private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(seconds * 1e9)) }

    /// Blocks of 10 ms of the reference, each of which begins so many seconds after the end of the one before.
    private static func write(_ pauses: [Double], to streams: MultiStream) throws -> MultiStreamInput {
        var input = try streams.makeInput(0)
        var time = 100.0
        for pause in pauses {
            time += pause
            input.write([Float](repeating: 0.5, count: 480).span, madeAt: Self.time(time))
            time += 0.01
        }
        return input
    }

    private static func streams() throws -> MultiStream {
        try MultiStream([StreamFormat(.float32, channelCount: 1, sampleRate: 48_000)], channelCount: 1)
    }

    /// What each read gives, with what was said of it.
    private static func read(_ output: inout MultiStreamOutput, at now: Double) -> [(said: Int, given: Int)] {
        var reads: [(said: Int, given: Int)] = []
        var samples = [Float](repeating: 0, count: 200_000)
        while true {
            let said = output.availableFrames(at: Self.time(now))
            var span = samples.mutableSpan
            let given = output.read(into: &span, at: Self.time(now)).frameCount
            reads.append((said, given))
            if given == 0 { return reads }
        }
    }

    func testAPauseOfTheReference() throws {
        let steady = [Double](repeating: 0, count: 9)
        for (pause, given) in [
            (0.5, [4800 + 24_000 + 4800, 0]), (0.98, [4800 + 47_040 + 4800, 0]), (1.1, [4800, 4800, 0]),
            (2, [4800, 4800, 0]), (10, [4800, 4800, 0]),
        ] {
            let streams = try Self.streams()
            let input = try Self.write([0] + steady + [pause] + steady, to: streams)
            var output = try streams.makeOutput()
            let reads = Self.read(&output, at: 100.2 + pause)
            XCTAssertEqual(reads.map(\.given), given, "\(pause)")
            // The silence of a pause comes on top.
            XCTAssertEqual(reads.map(\.said), given.map { min($0, 9600) }, "\(pause)")
            XCTAssertEqual(input.droppedFrames, 0)
        }
    }

    /// Of a pause just before the end it is not known yet whether it is one.
    func testTwoPausesOfTheReference() throws {
        let steady = [Double](repeating: 0, count: 9)
        for second in [0.02, 0.5, 3] {
            let streams = try Self.streams()
            let input = try Self.write([0] + steady + [0.02] + steady + [second, 0, 0], to: streams)
            var output = try streams.makeOutput()
            let reads = Self.read(&output, at: 100.3 + second)
            XCTAssertEqual(reads.map(\.given), [4800 + 960 + 4800, 0], "\(second)")
            XCTAssertEqual(reads.map(\.said), [9600, 0], "\(second)")
            XCTAssertEqual(input.droppedFrames, 0)
        }
    }
}
