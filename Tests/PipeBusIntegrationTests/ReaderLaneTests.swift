// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// The lanes of a reader of separate streams.
final class ReaderLaneTests: BusTestCase {
    /// No two frames near each other are equal.
    private static let signal: Stage.Signal = { position, _ in
        Float((position &* 7919) & 0xFFFF) / 65_536 - 0.5
    }

    // MARK: Parts

    /// An app without `blockSize:` whose intervals are longer than its first requests.
    func testIntervalsThatAreReadInParts() async throws {
        for (rate, parts, hasOwnClock) in [
            (48_000, [Array(repeating: 480, count: 10), Array(repeating: 480, count: 10)], false),
            (48_000, [[64], [4800]], false),
            (44_100, [Array(repeating: 441, count: 10), [4410]], false),
            (8_000, [[1, 799], [100]], false),
            (48_000, [Array(repeating: 480, count: 10), Array(repeating: 480, count: 10)], true),
        ] {
            let what = "\(rate) Hz, parts \(parts.map(\.count)), own clock \(hasOwnClock)"
            let whole = try await lastSeconds(of: parts.map { _ in [rate / 10] }, rate, hasOwnClock)
            let parted = try await lastSeconds(of: parts, rate, hasOwnClock)
            XCTAssertGreaterThan(parted.intervals, 45, what)
            XCTAssertEqual(parted.lateFrames, 0, what)
            XCTAssertEqual(parted.silentReads, 0, what)
            XCTAssertEqual(parted.latency, whole.latency, what)
            XCTAssertEqual(Double(parted.age), Double(whole.age), accuracy: 1e6, what)
            XCTAssertEqual(parted.discarded, 0, what)
            // Two intervals of each lane.
            XCTAssertLessThan(parted.lostAtFirst, 2 * 2 * 4800, what)
        }
    }

    private struct Outcome {
        var (intervals, lateFrames, silentReads, discarded, lostAtFirst) = (0, 0, 0, UInt64(0), UInt64(0))
        var latency = 0
        var age: Int64 = 0
    }

    /// Three seconds after the first two.
    private func lastSeconds(of parts: [[Int]], _ rate: Int, _ hasOwnClock: Bool) async throws -> Outcome {
        let stage = try await Stage.start()
        let box = Box<PartsReader?>(nil)
        let input = try await stage.taker.separateReceiver(
            "in", channels: .mono, lanes: 2, fade: .none, state: ()
        ) { _, cycle, _ in box.value?.run(cycle) }
        let reader = PartsReader(
            try input.makeReader(format: StreamFormat(.float32, sampleRate: rate), hasOwnClock: hasOwnClock),
            rate: rate, parts: parts)
        box.value = reader
        for name in ["one", "two"] {
            try await stage.taker.connect(try await stage.sender(name, Self.signal), to: input)
        }
        try await stage.step(256, cycles: 375)
        reader.forget()
        let before = reader.statistics
        try await stage.step(256, cycles: 563)
        let outcome = Outcome(
            intervals: reader.intervals, lateFrames: reader.lateFrames, silentReads: reader.silentReads,
            discarded: reader.statistics.discardedFrames - before.discardedFrames,
            lostAtFirst: before.discardedFrames, latency: reader.latency.frames, age: reader.age)
        box.value = nil
        try await stage.close()
        return outcome
    }

    // MARK: Step

    /// Lanes whose sources come and go are at one place, to the bit, whatever is in them and however they are read.
    func testLanesStayInStep() async throws {
        for (rate, offset, jitter, hasOwnClock) in [
            (48_000, 300e-6, 0.0, true), (48_000, -300e-6, 0.002, true), (44_100, 300e-6, 0.002, true),
            (8_000, 0, 0, false), (44_100, 0, 0, false), (96_000, 0, 0, false),
        ] {
            let what = "\(rate) Hz, \(offset * 1e6) ppm, jitter \(jitter * 1000) ms, own clock \(hasOwnClock)"
            let stage = try await Stage.start()
            let box = Box<LaneStepReader?>(nil)
            let input = try await stage.taker.separateReceiver(
                "in", channels: .mono, lanes: 2, alignment: .immediate, fade: .none, keepsRunning: true, state: ()
            ) { _, cycle, _ in box.value?.run(cycle) }
            let first = try await stage.sender("first", Self.signal)
            let second = try await stage.sender("second", Self.signal)
            let reader = LaneStepReader(
                try input.makeReader(format: StreamFormat(.float32, sampleRate: rate), hasOwnClock: hasOwnClock),
                rate: rate, offset: offset, jitter: jitter)
            box.value = reader
            for round in 0..<3 {
                // Silence of all lanes, then one with sound, then both.
                try await stage.step(256, cycles: 100)
                try await stage.taker.connect(round == 1 ? second : first, to: input)
                for quantum in [1024, 64, 256] { try await stage.step(quantum, cycles: 48_000 / quantum) }
                try await stage.taker.connect(round == 1 ? first : second, to: input)
                let compared = reader.comparedFrames
                try await stage.step(256, cycles: 376)
                XCTAssertGreaterThan(reader.comparedFrames - compared, rate, what)
                XCTAssertEqual(reader.differentFrames, 0, "\(what), round \(round)")
                try await stage.taker.disconnect(first, from: input)
                try await stage.taker.disconnect(second, from: input)
            }
            if hasOwnClock { XCTAssertTrue(reader.isLocked, what) }
            box.value = nil
            try await stage.close()
        }
    }

    // MARK: Counts

    /// What the reads say of late frames, at a rate of the app's own, is what the statistics say at the graph's.
    func testLateFramesOfReadsAddUp() async throws {
        for rate in [8_000, 44_100, 96_000, 384_000] {
            let stage = try await Stage.start()
            let box = Box<UnsteadyReader?>(nil)
            let input = try await stage.taker.separateReceiver(
                "in", channels: .mono, lanes: 3, fade: .none, keepsRunning: true, state: ()
            ) { _, cycle, _ in box.value?.run(cycle) }
            let reader = UnsteadyReader(
                try input.makeReader(format: StreamFormat(.float32, sampleRate: rate)), rate: rate, lanes: 3)
            box.value = reader
            for name in ["one", "two"] {
                try await stage.taker.connect(try await stage.sender(name, Self.signal), to: input)
            }
            try await stage.step(256, cycles: 1500)
            reader.isUnsteady = false
            try await stage.step(256, cycles: 1000)
            let expected = Double(reader.statistics.lateFrames) * Double(rate) / 48_000
            XCTAssertGreaterThan(expected, Double(rate) / 2, "\(rate) Hz")
            // A part of a frame is left over of each lane.
            XCTAssertEqual(Double(reader.lateFrames), expected, accuracy: 3.01, "\(rate) Hz")
            box.value = nil
            try await stage.close()
        }
    }
}
