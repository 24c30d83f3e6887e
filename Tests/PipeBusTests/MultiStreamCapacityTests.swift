// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// The default capacity keeps what comes while another input is waited for.
final class MultiStreamCapacityTests: XCTestCase {
    func testNothingIsLostWhileAnInputIsWaitedFor() throws {
        for rate in [8000, 44_100, 48_000, 50_000, 96_000, 192_000, 384_000] {
            let streams = try MultiStream(
                [rate, 8000].map { StreamFormat(.float32, channelCount: 1, sampleRate: $0) }, channelCount: 1)
            let reference = RampInput(try streams.makeInput(0), rate: rate, block: rate / 100, start: 1)
            let other = RampInput(try streams.makeInput(1), rate: 8000, block: 80, start: 1)
            var output = try streams.makeOutput()
            var samples = [Float](repeating: 0, count: rate / 10)
            var given = 0
            for round in 1...400 {
                let now = 1 + Double(round) / 100
                reference.run(until: now)
                other.isSilent = now > 2
                other.run(until: now)
                while true {
                    var span = samples.mutableSpan
                    let count = output.read(into: &span, at: RampInput.time(now)).frameCount
                    given += count
                    if count == 0 { break }
                }
            }
            XCTAssertEqual(reference.input.droppedFrames, 0, "\(rate)")
            XCTAssertEqual(Double(given) / Double(rate), 4, accuracy: 0.02, "\(rate)")
        }
    }
}
