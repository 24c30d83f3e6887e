// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import SeededRandom
import XCTest

/// What a writer takes is heard: every frame once and in order, or counted.
final class WriterTests: BusTestCase {
    func testSoundThatRunsOutGoesOnLater() async throws {
        let write = try await WriteStage.start(channels: .mono)
        var writer = try await write.output.makeWriter()
        try await write.connect()
        func give(_ frames: Range<Int>) {
            XCTAssertEqual(writer.tryWrite([Float](repeating: 0.5, count: frames.count).span), frames.count)
        }
        give(0..<2000)
        try await write.stage.step(256, cycles: 20)
        let first = write.heard()
        let begin = try XCTUnwrap(first.firstIndex { $0 != 0 })
        // From the first frame on; the last one decays over 5 ms.
        XCTAssertTrue(first[begin..<begin + 2000].allSatisfy { $0 == 0.5 })
        let decay = first[(begin + 2000)...]
        XCTAssertLessThan(decay.first ?? 1, 0.5)
        XCTAssertGreaterThan(decay.first ?? 0, 0.49)
        XCTAssertTrue(zip(decay, decay.dropFirst()).allSatisfy { $0 >= $1 })
        XCTAssertEqual(decay.firstIndex(of: 0).map { $0 - begin - 2000 } ?? 0, 240, accuracy: 2)
        XCTAssertEqual(writer.statistics.underruns, 0, "nobody knows yet that it goes on")
        // Less than a block and a cycle: it waits.
        give(0..<1000)
        try await write.stage.step(256, cycles: 4)
        XCTAssertTrue(write.heard().allSatisfy { $0 == 0 })
        give(0..<1300)
        try await write.stage.step(256, cycles: 12)
        let second = write.heard()
        let sound = second.filter { $0 != 0 }
        XCTAssertLessThan(abs(sound[0]), 0.01)
        XCTAssertTrue(sound[240..<2300].allSatisfy { $0 == 0.5 })
        XCTAssertEqual(writer.statistics.underruns, 1)
        let silence = 20 * 256 - begin - 2000 + 4 * 256
        XCTAssertEqual(Int(writer.statistics.underrunFrames), silence)
        try await write.stage.close()
        XCTAssertEqual(writer.tryWrite([Float](repeating: 0, count: 10).span), 0)
        XCTAssertEqual(writer.writableFrames, 0)
    }

    func testItWaitsForRoomAndForTheEnd() async throws {
        let write = try await WriteStage.start()
        let writer = try await write.output.makeWriter(bufferSize: 4096)
        let all = WriteStage.samples(0..<30_000)
        // Before anybody listens, only what fits is taken.
        let task = Self.play(all, writer)
        try await write.connect()
        try await write.stage.stepping(256, atPace: true) { try await task.value }
        try await write.stage.step(1024, cycles: 2)
        let heard = write.heard()
        let begin = try XCTUnwrap(heard.firstIndex { $0 != 0 })
        assertSamples(
            Array(heard[begin..<begin + 30_000]), equal: (0..<30_000).map { WriteStage.signal($0, 0) })
        // The next one may be made.
        var next = try await write.output.makeWriter()
        XCTAssertEqual(next.tryWrite(WriteStage.samples(0..<10).span), 10)
        try await write.stage.close()
        do {
            try await next.write(WriteStage.samples(0..<20_000))
            XCTFail("a closed port took sound")
        } catch let error as PipeBusError {
            XCTAssertEqual(error.code, .closed)
        }
    }

    /// What is left over when there was no room is not in one piece, where each channel is.
    func testItWaitsForRoomWithPlanarSamplesAndWithBytes() async throws {
        let channels = (0..<2).map { channel in
            (0..<30_000).map { Int16(truncatingIfNeeded: $0 * 7 + 1009 * channel) | 1 }
        }
        for (format, isBytes) in [
            (StreamFormat(.float32, isInterleaved: false), false), (StreamFormat(.int16, isInterleaved: false), true),
            (StreamFormat(.int16), true),
        ] {
            let all =
                format.isInterleaved
                ? channels[0].indices.flatMap { [channels[0][$0], channels[1][$0]] } : channels[0] + channels[1]
            let write = try await WriteStage.start()
            let box = WriterBox(try await write.output.makeWriter(format: format, bufferSize: 4096))
            let task = Task {
                if isBytes {
                    try await box.play(
                        bytes: all.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
                } else {
                    try await box.play(all.map { Float($0) / 32_768 })
                }
            }
            try await write.connect()
            try await write.stage.stepping(256, atPace: true) { try await task.value }
            try await write.stage.step(1024, cycles: 2)
            var heard: [[Float]] = [[], []]
            while let block = write.capture.read() { for channel in 0..<2 { heard[channel] += block[channel] } }
            let begin = try XCTUnwrap(heard[0].firstIndex { $0 != 0 })
            for channel in 0..<2 {
                assertSamples(
                    Array(heard[channel][begin..<begin + 30_000]),
                    equal: channels[channel].map { Float($0) / 32_768 }, channel: channel)
            }
            try await write.stage.close()
        }
    }

    /// A player of a file of another rate is at its place before anybody listens: its sound is whole, from the first frame.
    func testItIsPrimedBeforeItIsConnected() async throws {
        for rate in [44_100, 48_000, 96_000] {
            let write = try await WriteStage.start(channels: .mono)
            XCTAssertEqual(write.stage.givers.clock?.sampleRate, 48_000)
            var writer = try await write.output.makeWriter(
                format: StreamFormat(.float32, sampleRate: rate), bufferSize: 8192)
            func sine(_ frame: Int, at rate: Int) -> Float {
                0.5 * Float(sin(2 * .pi * 997 * Double(frame) / Double(rate)))
            }
            var next = 0
            func fill() {
                while true {
                    let block = (next..<(next + 441)).map { sine($0, at: rate) }
                    let taken = writer.tryWrite(block.span)
                    next += taken
                    if taken < 441 { return }
                }
            }
            fill()
            // Full: 8192 frames of the graph, and what the resampler holds back.
            XCTAssertEqual(next, 8192 * rate / 48_000, accuracy: 200)
            XCTAssertLessThan(writer.writableFrames, 2)
            try await write.stage.step(256, cycles: 4)
            XCTAssertLessThan(writer.writableFrames, 2, "nothing leaves before it is connected")
            try await write.connect()
            var heard: [Float] = []
            for _ in 0..<100 {
                try await write.stage.step(256)
                heard += write.heard()
                fill()
            }
            XCTAssertEqual(writer.statistics.underruns, 0)
            XCTAssertEqual(writer.statistics.droppedFrames, 0)
            // The sine begins at its frame 0; a resampler rings for less than a millisecond before.
            let begin = try XCTUnwrap(heard.firstIndex { abs($0) > 0.02 })
            let sound = Array(heard[begin...].prefix(20_000))
            XCTAssertEqual(sound.count, 20_000)
            let offset = try XCTUnwrap(
                (-2...2).min { left, right in
                    abs(sine(left, at: 48_000) - sound[0]) < abs(sine(right, at: 48_000) - sound[0])
                })
            for (frame, sample) in sound.enumerated().dropFirst(100) {
                let expected = sine(frame + offset, at: 48_000)
                guard abs(sample - expected) < 0.05 else {
                    return XCTFail("\(rate) Hz, frame \(frame): \(sample), not \(expected)")
                }
            }
            try await write.stage.close()
        }
    }

    private static func play(_ samples: [Float], _ given: consuming Writer) -> Task<Void, any Error> {
        let box = WriterBox(given)
        return Task { try await box.play(samples) }
    }

    /// What the resampler holds back is played too.
    func testItFinishesWithTheLastFrame() async throws {
        for rate in [8_000, 44_100, 96_000] {
            let write = try await WriteStage.start(channels: .mono)
            var writer = try await write.output.makeWriter(format: StreamFormat(.float32, sampleRate: rate))
            try await write.connect()
            let frames = rate / 10
            XCTAssertEqual(writer.tryWrite([Float](repeating: 0.5, count: frames).span), frames)
            let box = WriterBox(writer)
            let task = Task { try await box.play([]) }
            try await write.stage.stepping(256, atPace: true) { try await task.value }
            try await write.stage.step(256, cycles: 4)
            // From the middle of its edge to the last frame, whose decay is at its level for some frames more.
            let heard = write.heard()
            let begin = try XCTUnwrap(heard.firstIndex { $0 > 0.25 })
            let end = try XCTUnwrap(heard.lastIndex { $0 > 0.4995 })
            XCTAssertEqual(Double(end - begin), 4800, accuracy: 50_000 / Double(rate) + 8, "\(rate)")
            try await write.stage.close()
        }
    }

    func testBadValuesAreRefused() async throws {
        let stage = try await Stage.start()
        let output = try await stage.givers.sender("out")
        func assertRefused(_ code: PipeBusError.Code, _ make: () async throws -> Void) async {
            do {
                try await make()
                XCTFail("not refused")
            } catch {
                XCTAssertEqual((error as? PipeBusError)?.code, code)
            }
        }
        for size in [15, -1, (1 << 24) + 1, .max, .min] {
            await assertRefused(.invalidArgument) { _ = try await output.makeWriter(bufferSize: size) }
        }
        await assertRefused(.invalidArgument) { _ = try await output.makeWriter(liveLatency: -1) }
        await assertRefused(.invalidArgument) {
            _ = try await output.makeWriter(format: StreamFormat(.int16, sampleRate: 1))
        }
        let writer = try await output.makeWriter()
        await assertRefused(.notSupported) { _ = try await output.makeWriter() }
        let other = try await stage.givers.sender("other", state: ()) { _, _, _ in }
        await assertRefused(.notSupported) { _ = try await other.makeWriter() }
        XCTAssertEqual(writer.statistics.writtenFrames, 0)
        try await stage.close()
        await assertRefused(.closed) { _ = try await output.makeWriter() }
    }
}
