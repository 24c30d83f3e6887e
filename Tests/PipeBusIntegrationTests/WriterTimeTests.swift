// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import Synchronization
import XCTest

/// A writer says when the next frame leaves, and there it is.
final class WriterTimeTests: BusTestCase {
    /// What was heard at each position, and the time of that, in nanoseconds.
    private typealias Heard = [Int64: (sample: Float, time: UInt64)]

    private static func hear(_ capture: Capture, _ heard: inout Heard) {
        while let block = capture.read() {
            for (frame, sample) in block[0].enumerated() {
                let time = block.timestamp.time.nanoseconds + UInt64(frame) * 1_000_000_000 / 48_000
                heard[block.timestamp.position + Int64(frame)] = (sample, time)
            }
        }
    }

    private static func assertHeard(
        _ sample: Float, at time: Timestamp, _ heard: Heard, file: StaticString = #filePath, line: UInt = #line
    ) {
        guard let found = heard[time.position] else {
            return XCTFail("nothing came at \(time.position)", file: file, line: line)
        }
        XCTAssertEqual(found.sample, sample, "at \(time.position)", file: file, line: line)
        // Nanoseconds are rounded.
        XCTAssertEqual(Double(time.time.nanoseconds), Double(found.time), accuracy: 4, file: file, line: line)
    }

    func testTheNextFrameLeavesWhenItIsSaid() async throws {
        for (seed, quantum) in [(1, 64), (2, 256), (3, 1000), (4, 1024), (5, 4096), (6, nil)] {
            var random = SeededGenerator(seed: UInt64(seed))
            let write = try await WriteStage.start(channels: .mono)
            var writer = try await write.output.makeWriter()
            XCTAssertNil(writer.nextTimestamp)
            var next: Float = 0
            var said: [(sample: Float, time: Timestamp)] = []
            func give(_ frames: Int) {
                let time = writer.nextTimestamp
                let block = (0..<frames).map { next + 1 + Float($0) }
                let taken = writer.tryWrite(block.span)
                if let time, taken > 0 { said.append((next + 1, time)) }
                next += Float(taken)
            }
            for _ in 0..<13 { give(700) }
            XCTAssertNil(writer.nextTimestamp, "nothing is connected")
            try await write.connect()
            XCTAssertNil(writer.nextTimestamp, "no cycle yet")
            for _ in 0..<40 {
                let frames = quantum ?? Int.random(in: 16...4096, using: &random)
                while writer.latency.frames < frames { give(Int.random(in: 1...700, using: &random)) }
                try await write.stage.step(frames)
                XCTAssertNotNil(writer.nextTimestamp)
                for _ in 0..<4 { give(Int.random(in: 1...700, using: &random)) }
            }
            XCTAssertEqual(writer.statistics.underruns, 0)
            while writer.latency.frames > 4096 { try await write.stage.step(4096) }
            try await write.stage.step(4096)
            var heard = Heard()
            Self.hear(write.capture, &heard)
            XCTAssertGreaterThan(said.count, 40)
            for frame in said { Self.assertHeard(frame.sample, at: frame.time, heard) }
            try await write.stage.close()
            XCTAssertNil(writer.nextTimestamp, "it is closed")
        }
    }

    /// The time is that of the middle of the nearest frame.
    func testItIsRightToHalfAFrameWithAResampler() async throws {
        for rate in [8_000, 44_100, 96_000] {
            let write = try await WriteStage.start(channels: .mono)
            var writer = try await write.output.makeWriter(format: StreamFormat(.float32, sampleRate: rate))
            func sine(_ frame: Int) -> Float { 0.5 * Float(sin(2 * .pi * 440 * Double(frame) / Double(rate))) }
            var next = 0
            var said: [(sample: Float, time: Timestamp)] = []
            func give(_ frames: Int) {
                let time = writer.nextTimestamp
                let block = (next..<(next + frames)).map { sine($0) }
                let taken = writer.tryWrite(block.span)
                if let time, taken > 0 { said.append((sine(next), time)) }
                next += taken
            }
            for _ in 0..<20 { give(rate / 200) }
            try await write.connect()
            for cycle in 0..<200 {
                try await write.stage.step(256)
                give(rate / 500 + cycle % 97)
                while writer.latency.frames < 1024 { give(31) }
            }
            XCTAssertEqual(writer.statistics.underruns, 0)
            // Not those of the last frames, which may be heard when the resampler is given more.
            said.removeLast(10)
            try await write.stage.step(256, cycles: 64)
            var heard = Heard()
            Self.hear(write.capture, &heard)
            XCTAssertGreaterThan(said.count, 150)
            // The sine goes on by so much in half a frame of the graph, and the resampler is exact to less than the rest.
            let half = 0.5 * 2 * Float.pi * 440 / 48_000 / 2
            for frame in said {
                let found = try XCTUnwrap(heard[frame.time.position])
                XCTAssertEqual(found.sample, frame.sample, accuracy: half + 0.002, "\(rate) Hz")
            }
            try await write.stage.close()
        }
    }

    func testItIsUnknownWhileTheSoundHasRunOut() async throws {
        let write = try await WriteStage.start(channels: .mono)
        var writer = try await write.output.makeWriter()
        try await write.connect()
        /// In blocks of half of what a sound needs to begin.
        func give(_ frames: Int, _ value: Float) {
            for start in stride(from: 0, to: frames, by: 256) {
                let count = min(256, frames - start)
                XCTAssertEqual(writer.tryWrite([Float](repeating: value, count: count).span), count)
            }
        }
        give(2048, 0.5)
        try await write.stage.step(256, cycles: 8)
        // All of it has left, and nobody knows yet that it does not go on.
        let end = try XCTUnwrap(writer.nextTimestamp)
        try await write.stage.step(256)
        XCTAssertNil(writer.nextTimestamp, "it has run out")
        give(100, 0.5)
        try await write.stage.step(256)
        XCTAssertNil(writer.nextTimestamp, "it waits for more")
        give(4000, 0.5)
        XCTAssertNil(writer.nextTimestamp)
        try await write.stage.step(256)
        let time = try XCTUnwrap(writer.nextTimestamp)
        give(1000, 0.25)
        XCTAssertEqual(time.position - end.position, 256 + 256 + 4100)
        try await write.stage.step(256, cycles: 20)
        XCTAssertNil(writer.nextTimestamp, "it has run out again")
        XCTAssertEqual(writer.statistics.underruns, 1)
        var heard = Heard()
        Self.hear(write.capture, &heard)
        XCTAssertEqual(heard[end.position - 1]?.sample, 0.5)
        Self.assertHeard(0.25, at: time, heard)
        XCTAssertEqual(heard[time.position - 1]?.sample, 0.5)
        try await write.stage.close()
    }

    /// After a time without a connection the last cycle says nothing of the next one.
    func testItIsUnknownUntilTheFirstCycleOfAConnection() async throws {
        let write = try await WriteStage.start(channels: .mono)
        var writer = try await write.output.makeWriter()
        func fill() {
            for _ in 0..<16 { XCTAssertEqual(writer.tryWrite([Float](repeating: 0.5, count: 256).span), 256) }
        }
        fill()
        for round in 0..<3 {
            try await write.connect()
            try await eventually("the port to be connected") { write.output.isConnected }
            XCTAssertNil(writer.nextTimestamp, "no cycle yet in round \(round)")
            try await write.stage.step(256)
            let time = try XCTUnwrap(writer.nextTimestamp)
            let mark = 0.25 + Float(round) / 1024
            XCTAssertEqual(writer.tryWrite([mark].span), 1)
            let waiting = writer.latency.frames
            fill()
            try await write.stage.step(256, cycles: waiting / 256 + 1)
            var heard = Heard()
            Self.hear(write.capture, &heard)
            Self.assertHeard(mark, at: time, heard)
            try await write.stage.taker.disconnect(write.output, from: write.input)
            try await eventually("the end of the connection") { !write.output.isConnected }
            XCTAssertNil(writer.nextTimestamp, "nothing is connected after round \(round)")
            try await write.stage.step(256, cycles: 5)
        }
        try await write.stage.close()
    }

    func testItIsUnknownOfLiveSound() async throws {
        let write = try await WriteStage.start(channels: .mono)
        var writer = try await write.output.makeWriter(liveLatency: 2048)
        try await write.connect()
        for _ in 0..<20 {
            _ = writer.tryWrite([Float](repeating: 0.5, count: 256).span, madeAt: MonotonicTime(nanoseconds: 1))
            try await write.stage.step(256)
            XCTAssertNil(writer.nextTimestamp)
        }
        try await write.stage.close()
    }

    /// Writes frame by frame, each with its number, and keeps what was said of it.
    private actor Giver {
        private var writer: Writer
        private var said: [(sample: Float, position: Int64)] = []
        nonisolated let written = Atomic(0)

        init(_ writer: consuming Writer) { self.writer = writer }

        func give(until end: Flag) async -> [(sample: Float, position: Int64)] {
            var next = 0
            while !end.isRaised {
                let time = writer.nextTimestamp
                let sample = Float(next + 1)
                guard writer.tryWrite([sample].span) == 1 else {
                    await Task.yield()
                    continue
                }
                if let time { said.append((sample, time.position)) }
                next += 1
                written.store(next, ordering: .relaxed)
            }
            return said
        }
    }

    func testItIsRightWhileCyclesGoOn() async throws {
        let write = try await WriteStage.start(channels: .mono)
        let giver = Giver(try await write.output.makeWriter(bufferSize: 4096))
        try await write.connect()
        let end = Flag()
        async let giving = giver.give(until: end)
        var heard = Heard()
        for cycle in 0..<2000 {
            // So the sound never runs out.
            try await eventually("sound to be written") {
                giver.written.load(ordering: .relaxed) >= cycle * 64 + 2048
            }
            try await write.stage.step(64)
            Self.hear(write.capture, &heard)
        }
        end.raise()
        let said = await giving
        let there = said.filter { heard[$0.position] != nil }
        XCTAssertGreaterThan(there.count, 100_000)
        XCTAssertLessThanOrEqual(said.count - there.count, 4096, "what is still in the buffer")
        let wrong = there.filter { heard[$0.position]?.sample != $0.sample }
        XCTAssertEqual(wrong.count, 0, "\(wrong.first.map { "\($0)" } ?? "")")
        try await write.stage.close()
    }
}
