// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The silence that a reader gives without a source is as old as sound is going to be, so that no time jumps when a source comes or goes.
final class ReaderIdleTimeTests: BusTestCase {
    func testTimeGoesOnWhenASourceComesAndGoes() async throws {
        for (rate, block, hasOwnClock) in [(nil, 480, false), (44_100, 441, true), (44_100, 1000, false)] {
            let what = "\(rate ?? 0) \(block) \(hasOwnClock)"
            let stage = try await Stage.start()
            let announced = stage.taker.clock
            let quantum = try XCTUnwrap(announced?.quantum)
            let sender = try await stage.sender("out") { _, _ in 0.5 }
            let input = try await stage.taker.receiver("in", channels: .mono, lanes: 1)
            var reader = try input.makeReader(
                format: StreamFormat(.float32, sampleRate: rate), hasOwnClock: hasOwnClock)
            // Of the stepper, in seconds.
            var (time, call) = (1.0, 1.0)
            var wasHeard = false
            var ages: [Double] = []
            func run(_ seconds: Double) async throws {
                let end = time + seconds
                while time < end {
                    try await stage.step(quantum)
                    time += Double(quantum) / 48_000
                    while call < time {
                        let result = reader.read(block, at: MonotonicTime(nanoseconds: UInt64(call * 1e9))).result
                        wasHeard = wasHeard || result.hasSound
                        ages.append(call - Double(result.timestamp.time.nanoseconds) / 1e9)
                        call += Double(block) / Double(rate ?? 48_000)
                    }
                }
            }
            try await run(0.5)
            XCTAssertFalse(wasHeard, what)
            let expected = reader.latency.duration / .seconds(1)
            // The resampler's first frames tell nothing of its delay.
            XCTAssertEqual(ages.last ?? 0, expected, accuracy: 0.001, what)
            ages.removeFirst(ages.count / 2)
            try await stage.taker.connect(sender, to: input)
            try await run(0.5)
            XCTAssertTrue(wasHeard, what)
            XCTAssertEqual(reader.latency.duration / .seconds(1), expected, accuracy: 0.001, what)
            try await stage.taker.disconnect(sender, from: input)
            try await run(0.5)
            // A request may come anywhere in a cycle.
            let cycle = Double(quantum) / 48_000
            for age in ages { XCTAssertEqual(age, expected, accuracy: cycle + 0.004, what) }
            try await stage.close()
        }
    }
}
