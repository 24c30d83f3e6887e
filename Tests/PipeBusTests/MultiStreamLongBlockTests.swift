// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// An input may be written less than once a second.
final class MultiStreamLongBlockTests: XCTestCase {
    private static let block = 480

    func testBlocksLongerThanASecondAreInStep() throws {
        for (rates, blocks) in [([48_000, 8000], [480, 10_000]), ([8000, 48_000], [10_000, 480])] {
            let streams = try MultiStream(
                rates.map { StreamFormat(.float32, channelCount: 1, sampleRate: $0) }, channelCount: 1,
                capacity: 1 << 18)
            let inputs = try (0..<2).map {
                RampInput(try streams.makeInput($0), rate: rates[$0], block: blocks[$0], start: 16)
            }
            var output = try streams.makeOutput()
            // Of each input, from 3 s on: frames, and those that are in their places.
            var (given, right) = ([0, 0], [0, 0])
            for round in 1...1300 {
                let now = 16 + Double(round) / 100
                for input in inputs { input.run(until: now) }
                output.readAll(at: now) { input, samples, result in
                    let start = Double(result.time.nanoseconds) / 1e9
                    guard now > 19 else { return }
                    for frame in 0..<result.frameCount {
                        let time = start + Double(frame) / Double(rates[0])
                        let lateness = RampInput.lateness(of: samples[frame], after: time)
                        given[input] += 1
                        if let lateness, abs(lateness) < 0.003 { right[input] += 1 }
                    }
                }
            }
            for input in 0..<2 {
                XCTAssertGreaterThan(given[input], 8 * rates[0], "\(rates) \(input)")
                XCTAssertEqual(right[input], given[input], "\(rates) \(input)")
            }
        }
    }

    func testWhatComesTooLateIsCounted() throws {
        let streams = try MultiStream(
            [48_000, 48_000].map { StreamFormat(.float32, channelCount: 1, sampleRate: $0) }, channelCount: 1)
        let reference = RampInput(try streams.makeInput(0), rate: 48_000, block: 480, start: 16)
        let other = RampInput(try streams.makeInput(1), rate: 48_000, block: 480, start: 16)
        var output = try streams.makeOutput()
        var samples = [Float](repeating: 0, count: Self.block)
        var given = 0
        for round in 1...600 {
            let now = 16 + Double(round) / 100
            reference.run(until: now)
            // From 18 s to 20.5 s its thread stands still; then it gives what was made since 19.5 s.
            if now <= 18 || now > 20.5 { other.run(until: now) }
            other.isSilent = now > 18
            if now > 18, now < 19.5 { other.run(until: now) }
            if now >= 19.5 { other.isSilent = false }
            while true {
                var span = samples.mutableSpan
                let count = output.read(into: &span, at: RampInput.time(now)).frameCount
                given += count
                if count == 0 { break }
            }
        }
        // At 20.5 s nobody waited, and the output was there already.
        XCTAssertEqual(Double(other.input.droppedFrames), 48_000, accuracy: 2000)
        XCTAssertEqual(reference.input.droppedFrames, 0)
        XCTAssertEqual(Double(given), 6 * 48_000, accuracy: 2000)
    }
}
