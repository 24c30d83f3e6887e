// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// Live sound leaves at its time; and sound of other formats.
final class LiveWriterTests: BusTestCase {
    /// Every frame is heard when it has the age that is published, whatever the app's thread does.
    func testLiveSoundKeepsItsTime() async throws {
        let latency = 2000
        for laziness in [0, 0.5, 0.95] {
            let write = try await WriteStage.start(channels: .mono)
            var writer = try await write.output.makeWriter(bufferSize: 1 << 17, liveLatency: latency)
            // Before it is connected it is dropped.
            XCTAssertEqual(writer.tryWrite([Float](repeating: 1, count: 5000).span), 5000)
            XCTAssertEqual(writer.statistics.droppedFrames, 5000)
            try await write.connect()
            try await eventually("the latency") { try await write.input.sources.first?.latency.frames == latency }
            try await write.stage.step(256)
            let first = try XCTUnwrap(write.capture.read())
            // The age is the source's: the graph's time is that much later.
            let origin = Int(first.timestamp.position) + latency + first.frameCount
            let start = first.timestamp.time.nanoseconds + UInt64(latency + first.frameCount) * 1_000_000_000 / 48_000
            var numbers = SeededGenerator(seed: 9)
            var (made, written, heard, others) = (0, 0, 0, 0)
            for _ in 0..<2000 {
                made += 256
                if Double.random(in: 0..<1, using: &numbers) >= laziness {
                    while written < made {
                        let time = MonotonicTime(nanoseconds: start + UInt64(written) * 1_000_000_000 / 48_000)
                        let block = (written..<(written + 256)).map { WriteStage.signal(origin + $0, 0) }
                        let taken = writer.tryWrite(block.span, madeAt: time)
                        XCTAssertEqual(taken, 256)
                        written += 256
                    }
                }
                try await write.stage.step(256)
                while let block = write.capture.read() {
                    for (frame, sample) in block[0].enumerated() where sample != 0 {
                        let expected = WriteStage.signal(Int(block.timestamp.position) + frame, 0)
                        if sample == expected { heard += 1 } else { others += 1 }
                    }
                }
            }
            // A decay and a fade-in of 5 ms each at a gap, and nothing else: all sound has its time.
            XCTAssertLessThanOrEqual(others, 480 * (Int(writer.statistics.underruns) + 1), "\(laziness)")
            // What was written was heard, faded, dropped, or waits.
            let kept = Int(writer.statistics.writtenFrames - writer.statistics.droppedFrames)
            XCTAssertGreaterThanOrEqual(kept, heard, "\(laziness)")
            XCTAssertLessThanOrEqual(kept - heard, others + latency + 512, "\(laziness)")
            if laziness == 0 {
                XCTAssertEqual(others, 0)
                XCTAssertEqual(writer.statistics.droppedFrames, 5000)
                XCTAssertGreaterThan(heard, 2000 * 256 - latency - 512)
            } else {
                XCTAssertGreaterThan(heard, laziness < 0.9 ? 300_000 : 20_000, "\(laziness)")
            }
            try await write.stage.close()
        }
    }

    /// Short blocks, of which thousands wait, and gaps of 50 ms that begin and end within cycles.
    func testEveryFrameAfterAGapIsInItsPlace() async throws {
        for (latency, blockSize) in [(32_000, 8), (4800, 1), (2000, 48)] {
            let write = try await WriteStage.start(channels: .mono)
            var writer = try await write.output.makeWriter(bufferSize: 1 << 17, liveLatency: latency)
            try await write.connect()
            try await eventually("the latency") { try await write.input.sources.first?.latency.frames == latency }
            try await write.stage.step(256)
            let first = try XCTUnwrap(write.capture.read())
            let origin = Int(first.timestamp.position) + latency + first.frameCount
            let start = first.timestamp.time.nanoseconds + UInt64(latency + first.frameCount) * 1_000_000_000 / 48_000
            var (made, written, heard, others) = (0, 0, 0, 0)
            for _ in 0..<600 {
                made += 256
                while written + blockSize <= made {
                    if written / 2400 % 6 != 5 {
                        let block = (written..<(written + blockSize)).map { WriteStage.signal(origin + $0, 0) }
                        let time = MonotonicTime(nanoseconds: start + UInt64(written) * 1_000_000_000 / 48_000)
                        XCTAssertEqual(writer.tryWrite(block.span, madeAt: time), blockSize)
                    }
                    written += blockSize
                }
                try await write.stage.step(256)
                while let block = write.capture.read() {
                    for (frame, sample) in block[0].enumerated() where sample != 0 {
                        let expected = WriteStage.signal(Int(block.timestamp.position) + frame, 0)
                        if sample == expected { heard += 1 } else { others += 1 }
                    }
                }
            }
            XCTAssertGreaterThan(heard, 60_000, "\(latency), \(blockSize)")
            // A decay and a fade-in of 5 ms each at a gap.
            XCTAssertLessThanOrEqual(
                others, 480 * (Int(writer.statistics.underruns) + 1), "\(latency), \(blockSize)")
            XCTAssertEqual(writer.statistics.droppedFrames, 0)
            try await write.stage.close()
        }
    }

    /// Of writes while nothing is connected.
    func testCountsAtAnotherRateAreExact() async throws {
        for (rate, blockSize) in [(44_100, 1), (44_100, 7), (384_000, 1), (384_000, 441), (8000, 3)] {
            let write = try await WriteStage.start(channels: .mono)
            var writer = try await write.output.makeWriter(
                format: StreamFormat(.float32, sampleRate: rate), liveLatency: 4800)
            let block = [Float](repeating: 0, count: blockSize)
            var written = 0
            while written + blockSize <= rate { written += writer.tryWrite(block.span) }
            XCTAssertEqual(Int(writer.statistics.writtenFrames), written * 48_000 / rate)
            XCTAssertEqual(Int(writer.statistics.droppedFrames), written * 48_000 / rate)
            try await write.stage.close()
        }
    }

    /// An app may say anything of its time.
    func testImpossibleTimesHoldNothingUp() async throws {
        let write = try await WriteStage.start(channels: .mono)
        var writer = try await write.output.makeWriter(liveLatency: 1000)
        try await write.connect()
        try await write.stage.step(256, cycles: 2)
        for nanoseconds in [UInt64.max, 1 << 63, UInt64.max / 2, 0, 1] {
            let time = MonotonicTime(nanoseconds: nanoseconds)
            _ = writer.tryWrite([Float](repeating: 0.5, count: 2000).span, madeAt: time)
            try await write.stage.step(256, cycles: 20)
            XCTAssertEqual(writer.writableFrames, 16_384 + 1000, "\(nanoseconds)")
        }
        try await write.stage.close()
    }

    // MARK: Formats

    func testAFormatOfTheAppsOwn() async throws {
        for rate in [44_100, 8_000, 96_000, 48_000] {
            let write = try await WriteStage.start()
            let format = StreamFormat(.int16, channelCount: 1, isInterleaved: false, sampleRate: rate)
            var writer = try await write.output.makeWriter(format: format)
            try await write.connect()
            let frequency = 997.0
            var (next, heard) = (0, [Float]())
            for _ in 0..<60 {
                // Until it is full.
                while true {
                    var bytes: [UInt8] = []
                    for frame in next..<(next + 441) {
                        let value = 16_384 * sin(2 * .pi * frequency * Double(frame) / Double(rate))
                        let sample = UInt16(bitPattern: Int16(value.rounded()))
                        bytes += [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
                    }
                    let taken = writer.tryWrite(bytes.span)
                    next += taken
                    if taken < 441 { break }
                }
                try await write.stage.step(256, cycles: 2)
                heard += write.heard(1)
            }
            // A sine of that frequency and level, whatever its phase.
            let sound = Array(heard[(heard.firstIndex { $0 != 0 } ?? 0)...].dropFirst(2000).prefix(4800))
            XCTAssertEqual(sound.count, 4800)
            var (sine, cosine, energy) = (0.0, 0.0, 0.0)
            for (frame, sample) in sound.enumerated() {
                let phase = 2 * .pi * frequency * Double(frame) / 48_000
                sine += Double(sample) * sin(phase)
                cosine += Double(sample) * cos(phase)
                energy += Double(sample) * Double(sample)
            }
            let level = 2 * (sine * sine + cosine * cosine).squareRoot() / 4800
            XCTAssertEqual(level, 0.5, accuracy: 0.002, "\(rate)")
            XCTAssertEqual(energy / 4800, level * level / 2, accuracy: 0.001, "\(rate)")
            try await write.stage.close()
        }
    }
}
