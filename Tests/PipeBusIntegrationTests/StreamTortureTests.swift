// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// From a writer whose app withholds blocks to a reader: the reader gives exact counts throughout, and the latency returns.
final class StreamTortureTests: BusTestCase {
    private static let quantum = 256
    private static let block = 480

    private static func signal(_ frame: Int) -> Float { Float((frame &* 7) & 0xFFFF) + 1 }

    /// What a reader heard.
    private struct Heard {
        var frames = 0
        /// Frames that are what was written.
        var exact = 0
        /// The number of the last such frame, modulo 65 536.
        private var last = 0xFFFF
        /// Frames in a wrong place.
        var misplaced = 0

        /// Sound in order, without a time. It fades at gaps, where frames are no whole numbers, but skips none.
        mutating func note(_ samples: Span<Float>) {
            frames += samples.count
            for index in samples.indices {
                let sample = samples[index]
                guard sample >= 1, sample <= 65_536, sample == sample.rounded() else { continue }
                // 28 087 is the inverse of 7.
                let number = ((Int(sample) - 1) &* 28_087) & 0xFFFF
                let distance = (number - last) & 0xFFFF
                if distance == 1 {
                    (exact, last) = (exact + 1, number)
                } else if index + 1 < samples.count, samples[index + 1] == StreamTortureTests.signal(number + 1) {
                    // Right after a fade, or out of order.
                    if distance > 500 { misplaced += 1 }
                    (exact, last) = (exact + 1, number)
                }
            }
        }

        /// Live sound: its time says which frame it is.
        mutating func note(_ samples: Span<Float>, madeAt position: Int) {
            frames += samples.count
            for index in samples.indices where samples[index] != 0 {
                if samples[index] == StreamTortureTests.signal(position + index) { exact += 1 } else { misplaced += 1 }
            }
        }
    }

    /// A player without a time: everything that it writes is heard, in order.
    func testAPlayerThatWithholdsBlocks() async throws { try await torture(liveLatency: nil) }

    /// Live sound: what comes too late is left out.
    func testLiveSoundThatIsWithheld() async throws { try await torture(liveLatency: 2000) }

    private func torture(liveLatency: Int?) async throws {
        let stage = try await Stage.start()
        let output = try await stage.givers.sender("out", channels: .mono)
        try await eventually("the sender to be seen") { await stage.taker.graph.port(output.id) != nil }
        let input = try await stage.taker.receiver("in", channels: .mono, lanes: 1, fade: .none, panLaw: .balance)
        var writer = try await output.makeWriter(bufferSize: 1 << 15, liveLatency: liveLatency)
        var reader = try input.makeReader(blockSize: Self.block)
        try await stage.taker.connect(output, to: input)
        try await stage.showToGivers(output, input)
        if let liveLatency {
            try await eventually("the latency") { try await input.sources.first?.latency.frames == liveLatency }
        }
        var numbers = SeededGenerator(seed: 20)
        var (made, written, time) = (0, 0, 0)
        var heard = Heard()
        var readDue = 0
        var usual: Int?
        for probability in [0, 0.2, 0.5, 0.8, 0.95, 0] {
            var withheldUntil = 0
            for _ in 0..<1500 {
                made += Self.quantum
                if made >= withheldUntil, Double.random(in: 0..<1, using: &numbers) >= probability {
                    // As much as is there, and as there is room for.
                    while written + Self.block <= made {
                        let sound = (written..<(written + Self.block)).map(Self.signal)
                        let now = MonotonicTime(
                            nanoseconds: 1_000_000_000 + UInt64(written) * 1_000_000_000 / 48_000)
                        let taken = writer.tryWrite(sound.span, madeAt: now)
                        written += taken
                        if taken < Self.block { break }
                    }
                    // Now and then nothing for up to two seconds.
                    if probability > 0, Double.random(in: 0..<1, using: &numbers) < 0.02 {
                        withheldUntil = made + Int.random(in: 0...96_000, using: &numbers)
                    }
                } else if liveLatency == nil {
                    // A player does not make what it cannot give.
                    made -= Self.quantum
                    withheldUntil -= Self.quantum
                }
                try await stage.step(Self.quantum)
                time += Self.quantum
                readDue += Self.quantum
                while readDue >= Self.block {
                    readDue -= Self.block
                    let request = MonotonicTime(nanoseconds: 1_000_000_000 + UInt64(time) * 1_000_000_000 / 48_000)
                    let block = reader.read(Self.block, at: request)
                    let count = block.samples.count
                    XCTAssertEqual(count, Self.block)
                    if liveLatency == nil {
                        heard.note(block.samples)
                    } else {
                        heard.note(block.samples, madeAt: Int(block.timestamp.position))
                    }
                }
            }
            if usual == nil { usual = reader.latency.frames }
        }
        XCTAssertEqual(reader.latency.frames, usual)
        XCTAssertEqual(heard.frames, time / Self.block * Self.block)
        let (wrote, read) = (writer.statistics, reader.statistics)
        XCTAssertGreaterThan(wrote.underruns, 50)
        // The graph runs all the time, so the reader is never late.
        XCTAssertEqual(read.lateFrames, 0)
        XCTAssertEqual(read.discardedFrames, 0)
        XCTAssertLessThanOrEqual(time - Int(read.givenFrames), reader.latency.frames + Self.quantum)
        // What was taken was heard exactly, faded for 5 ms at either end of a gap, dropped, or waits.
        let kept = Int(wrote.writtenFrames - wrote.droppedFrames)
        XCTAssertGreaterThanOrEqual(kept, heard.exact)
        let faded = 480 * (Int(wrote.underruns) + 1)
        XCTAssertLessThanOrEqual(heard.misplaced, liveLatency == nil ? 0 : faded)
        XCTAssertLessThanOrEqual(kept - heard.exact, faded + (1 << 15) + reader.latency.frames)
        if liveLatency == nil {
            XCTAssertEqual(wrote.droppedFrames, 0)
        } else {
            XCTAssertGreaterThan(wrote.droppedFrames, 0)
        }
        try await stage.close()
    }
}
