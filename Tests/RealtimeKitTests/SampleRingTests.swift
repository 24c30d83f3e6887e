// SPDX-License-Identifier: MIT
import Foundation
import RealtimeKit
import SeededRandom
import XCTest

final class SampleRingTests: XCTestCase {
    private func read(_ reader: inout SampleRing.Reader, maximum: Int) -> [Float] {
        var buffer = [Float](repeating: -1, count: maximum * reader.channelCount)
        var span = buffer.mutableSpan
        let count = reader.read(into: &span)
        return Array(buffer.prefix(count * reader.channelCount))
    }

    private func write(_ writer: inout SampleRing.Writer, _ samples: [Float]) -> Bool { writer.tryWrite(samples.span) }

    func testCapacityIsRoundedUpToAPowerOfTwo() {
        for (wanted, given) in [(1, 1), (2, 2), (3, 4), (1000, 1024), (1024, 1024)] {
            XCTAssertEqual(SampleRing(channelCount: 1, minimumCapacity: wanted).capacity, given)
        }
    }

    func testFramesComeOutInterleavedAndInOrder() {
        let ring = SampleRing(channelCount: 2, minimumCapacity: 4)
        var writer = ring.makeWriter()
        var reader = ring.makeReader()
        XCTAssertTrue(write(&writer, [0, 1, 10, 11, 20, 21]))
        XCTAssertEqual(read(&reader, maximum: 2), [0, 1, 10, 11])
        XCTAssertEqual(read(&reader, maximum: 2), [20, 21])
        XCTAssertEqual(read(&reader, maximum: 2), [])
    }

    func testWhatDoesNotFitIsNotWrittenAtAll() {
        let ring = SampleRing(channelCount: 1, minimumCapacity: 4)
        var writer = ring.makeWriter()
        var reader = ring.makeReader()
        XCTAssertTrue(write(&writer, [0, 1, 2]))
        XCTAssertFalse(write(&writer, [99, 99]))
        XCTAssertEqual(reader.readableFrames, 3)
        XCTAssertEqual(writer.writableFrames, 1)
        XCTAssertEqual(read(&reader, maximum: 8), [0, 1, 2])
        XCTAssertEqual(writer.writableFrames, 4)
    }

    func testHalfAFrameMoreThanFitsInTheDestinationStaysInTheRing() {
        let ring = SampleRing(channelCount: 2, minimumCapacity: 4)
        var writer = ring.makeWriter()
        var reader = ring.makeReader()
        XCTAssertTrue(write(&writer, [0, 1, 10, 11]))
        var samples = [Float](repeating: -1, count: 3)
        var span = samples.mutableSpan
        XCTAssertEqual(reader.read(into: &span), 1)
        XCTAssertEqual(samples, [0, 1, -1])
        XCTAssertEqual(read(&reader, maximum: 4), [10, 11])
    }

    /// Channel by channel and interleaved, in any mixture, beside a plain array; the same mixture at every run.
    func testEveryMixtureOfWritesAndReadsGivesTheSameFrames() {
        for channels in [1, 2, 3, 5, 7] {
            for capacity in [1, 2, 8, 13, 100] {
                mix(channels: channels, capacity: capacity)
            }
        }
    }

    private func mix(channels: Int, capacity: Int) {
        var random = SeededGenerator(seed: UInt64(channels * 100 + capacity))
        let ring = SampleRing(channelCount: channels, minimumCapacity: capacity)
        var writer = ring.makeWriter()
        var reader = ring.makeReader()
        var (model, next): ([Float], Float) = ([], 0)
        for _ in 0..<500 {
            XCTAssertEqual(reader.readableFrames, model.count / channels)
            XCTAssertEqual(writer.writableFrames, ring.capacity - model.count / channels)
            let count = Int.random(in: 0...ring.capacity, using: &random)
            let frames = (0..<count * channels).map { next + Float($0) }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let fits = count <= writer.writableFrames
                XCTAssertEqual(write(&writer, frames), fits)
                if fits { model += frames }
            case 1:
                guard count <= writer.writableFrames else { continue }
                for channel in (0..<channels).reversed() {
                    let samples = (0..<count).map { frames[$0 * channels + channel] }
                    writer.fill(channel: channel, with: samples.span)
                }
                writer.commit(frameCount: count)
                model += frames
            case 2:
                let taken = read(&reader, maximum: count)
                XCTAssertEqual(taken, Array(model.prefix(count * channels)))
                model.removeFirst(taken.count)
            default:
                guard count <= reader.readableFrames else { continue }
                for channel in 0..<channels {
                    var samples = [Float](repeating: -1, count: count + 1)
                    var span = samples.mutableSpan
                    reader.copy(frameCount: count, ofChannel: channel, into: &span)
                    XCTAssertEqual(samples, (0..<count).map { model[$0 * channels + channel] } + [-1])
                }
                reader.discard(frameCount: count)
                model.removeFirst(count * channels)
            }
            next += Float(frames.count)
        }
    }

    /// Blocks of every length that fits, from every place, so that each is cut at the end of the memory in every way.
    func testABlockThatGoesOverTheEndOfTheMemoryIsWhole() {
        for channels in [1, 2, 3, 5] {
            let ring = SampleRing(channelCount: channels, minimumCapacity: 16)
            var writer = ring.makeWriter()
            var reader = ring.makeReader()
            for start in 0..<16 {
                for count in 0...16 {
                    let frames = (0..<count * channels).map { Float(1 + start * 1000 + $0) }
                    XCTAssertTrue(write(&writer, frames))
                    // Room for more than there is, which stays as it was.
                    var samples = [Float](repeating: -1, count: (count + 1) * channels)
                    var span = samples.mutableSpan
                    XCTAssertEqual(reader.read(into: &span), count)
                    XCTAssertEqual(samples, frames + [Float](repeating: -1, count: channels))
                    // To the same place again, and after the last one to the next.
                    let others = count == 16 ? 1 : 16 - count
                    XCTAssertTrue(write(&writer, [Float](repeating: 0, count: others * channels)))
                    reader.discard(frameCount: others)
                }
            }
        }
    }

    func testRoomIsCountedInWholeFrames() {
        for channels in [1, 2, 3, 5, 7, 12, 31, 64, 255, 1000] {
            let ring = SampleRing(channelCount: channels, minimumCapacity: 8)
            var writer = ring.makeWriter()
            var reader = ring.makeReader()
            for room in [0, 1, channels - 1, channels, channels + 1, 3 * channels - 1, 3 * channels, 8 * channels] {
                XCTAssertTrue(write(&writer, [Float](repeating: 1, count: 8 * channels)))
                var samples = [Float](repeating: 0, count: room)
                var span = samples.mutableSpan
                XCTAssertEqual(reader.read(into: &span), room / channels)
                reader.discard(frameCount: reader.readableFrames)
            }
        }
    }

    func testNoSamplesAreNoFrames() {
        let ring = SampleRing(channelCount: 3, minimumCapacity: 4)
        var writer = ring.makeWriter()
        var reader = ring.makeReader()
        XCTAssertTrue(write(&writer, []))
        writer.fill(channel: 2, with: [Float]().span)
        XCTAssertEqual(read(&reader, maximum: 0), [])
        XCTAssertEqual(reader.readableFrames, 0)
    }

    /// Frames wider than a cache line, so that a torn one would show.
    func testTwoThreadsNeverSeeATornFrame() {
        let channels = 32
        let ring = SampleRing(channelCount: channels, minimumCapacity: 64)
        let total = 50_000
        let thread = Thread {
            var writer = ring.makeWriter()
            var next = 0
            while next < total {
                let count = min(1 + next % 17, total - next)
                guard writer.writableFrames >= count else { continue }
                let frames = (next..<next + count).flatMap { [Float](repeating: Float($0 % 65536), count: channels) }
                if next % 2 == 0 {
                    XCTAssertTrue(writer.tryWrite(frames.span))
                } else {
                    let samples = (next..<next + count).map { Float($0 % 65536) }
                    for channel in 0..<channels { writer.fill(channel: channel, with: samples.span) }
                    writer.commit(frameCount: count)
                }
                next += count
            }
        }
        thread.start()
        var reader = ring.makeReader()
        var expected = 0
        while expected < total {
            let samples = read(&reader, maximum: 13)
            for (index, sample) in samples.enumerated() where sample != Float((expected + index / channels) % 65536) {
                return XCTFail("frame \(expected + index / channels) has \(sample)")
            }
            expected += samples.count / channels
        }
    }

    func testAnEndKeepsTheRingAlive() {
        var writer = SampleRing(channelCount: 1, minimumCapacity: 1 << 16).makeWriter()
        XCTAssertTrue(write(&writer, [Float](repeating: 1, count: 1 << 16)))
        XCTAssertEqual(writer.writableFrames, 0)
    }
}
