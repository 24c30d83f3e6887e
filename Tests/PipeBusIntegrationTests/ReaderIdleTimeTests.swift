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

    /// Both are of the graph, over disconnections and new connections, and the age is never far from that of sound.
    func testPositionAndTimeAgree() async throws {
        for (rate, block, hasOwnClock) in [(nil, 480, false), (nil, 4800, false), (48_000, 480, true)] {
            let what = "\(rate ?? 0) \(block) \(hasOwnClock)"
            let stage = try await Stage.start()
            let sender = try await stage.sender("out") { _, _ in 0.5 }
            let input = try await stage.taker.receiver("in", channels: .mono, lanes: 1)
            var reader = try input.makeReader(
                format: StreamFormat(.float32, sampleRate: rate), blockSize: block, hasOwnClock: hasOwnClock)
            var (time, call) = (1.0, 1.0)
            var ages: [Double] = []
            var latencies: [Int] = []
            for phase in 0..<5 {
                if phase % 2 == 1 { try await stage.taker.connect(sender, to: input) }
                if phase % 2 == 0 && phase > 0 { try await stage.taker.disconnect(sender, from: input) }
                var silentEnd: Int64?
                for _ in 0..<47 {
                    try await stage.step(1024)
                    time += 1024.0 / 48_000
                    while call < time {
                        let result = reader.read(block, at: MonotonicTime(nanoseconds: UInt64(call * 1e9))).result
                        let (position, made) = (
                            Double(result.timestamp.position), Double(result.timestamp.time.nanoseconds) / 1e9
                        )
                        if phase > 0 { XCTAssertEqual(position, (made - 1) * 48_000, accuracy: 1.5, what) }
                        if let silentEnd, !result.hasSound {
                            XCTAssertEqual(Double(silentEnd), position, accuracy: 1.5, what)
                        }
                        silentEnd = result.hasSound ? nil : result.timestamp.position + Int64(block)
                        ages.append(call - made)
                        latencies.append(reader.latency.frames)
                        call += Double(block) / 48_000
                    }
                }
            }
            let expected = Double(latencies[latencies.count / 2]) / 48_000
            let cycle = 1024.0 / 48_000
            // The second block finds out about longer cycles.
            for age in ages { XCTAssertEqual(age, expected, accuracy: cycle + 0.004, what) }
            XCTAssertEqual(Set(latencies.dropFirst(2)).count, 1, "\(what) \(Set(latencies))")
            try await stage.close()
        }
    }

    /// Reads of one interval are of one time, also while the daemon is away.
    func testAnIntervalHasOneTime() async throws {
        let stage = try await Stage.start()
        let input = try await stage.taker.separateReceiver("in", channels: .mono, lanes: 2)
        var reader = try input.makeReader()
        func readIntervals() {
            for _ in 0..<100 {
                let first = reader.read(48, lane: 0).result.timestamp
                let second = reader.read(48, lane: 0).result.timestamp
                XCTAssertEqual(reader.read(48, lane: 1).result.timestamp, first)
                XCTAssertEqual(second.position, first.position + 48)
                XCTAssertEqual(Double(second.time.nanoseconds - first.time.nanoseconds), 1e6, accuracy: 1)
                reader.endInterval()
            }
        }
        readIntervals()
        await stage.givers.close()
        try await stage.graph.close()
        try await eventually("the loss to be seen") { stage.taker.clock == nil }
        readIntervals()
        await stage.taker.close()
    }
}
