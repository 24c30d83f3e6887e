// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import XCTest

@testable import PipeBus

/// The rings and records of a stream, without a port: what is written comes out, or is counted.
final class StreamLaneTests: XCTestCase {
    private func memory(lanes: Int = 1, frames: Int = 64, records: Int = 256) -> StreamMemory {
        StreamMemory(laneCount: lanes, width: 2, isSeparate: true, capacity: frames, records: records)
    }

    /// Writes a cycle that counts on from its place, the channels a thousand apart.
    @discardableResult
    private func write(
        _ count: Int, at place: Int, cycle: Int = 1, stream: UInt64 = 1, channels: Int = 2, missed: Int = 0,
        lane: Int = 0, to memory: StreamMemory
    ) -> Bool {
        var record = StreamRecord()
        record.cycle = UInt64(cycle)
        record.generation = stream
        record.arrival = Int64(place)
        record.frameCount = count
        record.channelCount = channels
        record.sampleRate = 48_000
        record.missedFrames = missed
        return memory.put(record, lane: lane) { Float(place + $0 + 1000 * $1) }
    }

    /// All blocks that can be read, after a look at their samples.
    private func readAll(_ reader: inout CaptureReader, upTo limit: Int = 8192) -> [CaptureBlock] {
        var blocks: [CaptureBlock] = []
        while let block = reader.read(upTo: limit) {
            blocks.append(block)
            for channel in 0..<block.channelCount {
                let expected = (0..<block.frameCount).map {
                    Float(Int(block.timestamp.position) + $0 + 1000 * channel)
                }
                XCTAssertEqual(Array(block[channel]), expected)
            }
            XCTAssertEqual(block.interleaved.count, block.frameCount * block.channelCount)
            for (index, sample) in block.interleaved.enumerated() {
                let (frame, channel) = index.quotientAndRemainder(dividingBy: block.channelCount)
                XCTAssertEqual(sample, Float(Int(block.timestamp.position) + frame + 1000 * channel))
            }
        }
        return blocks
    }

    func testBlocksComeOutInTheOrderOfTheirCycles() {
        let memory = memory(lanes: 3)
        var reader = CaptureReader(memory)
        var next = 0
        for (cycle, count) in [1, 20, 7, 2, 3].enumerated() {
            for lane in [2, 0, 1] {
                XCTAssertTrue(write(count, at: next + 10 * lane, cycle: cycle, lane: lane, to: memory))
            }
            next += count
        }
        let blocks = readAll(&reader)
        XCTAssertEqual(blocks.map(\.lane), Array(repeating: [0, 1, 2], count: 5).flatMap { $0 })
        XCTAssertEqual(blocks.map(\.frameCount), [1, 1, 1, 20, 20, 20, 7, 7, 7, 2, 2, 2, 3, 3, 3])
    }

    func testABlockMayHaveFewerChannelsThanItsLane() {
        let memory = memory()
        var reader = CaptureReader(memory)
        XCTAssertTrue(write(5, at: 0, channels: 1, to: memory))
        XCTAssertTrue(write(6, at: 5, channels: 2, to: memory))
        XCTAssertEqual(readAll(&reader).map(\.channelCount), [1, 2])
    }

    func testABlockIsReadInParts() {
        let memory = memory()
        var reader = CaptureReader(memory)
        for number in 0..<10 {
            XCTAssertTrue(write(50, at: 50 * number, missed: number, to: memory))
            let blocks = readAll(&reader, upTo: 20)
            XCTAssertEqual(blocks.map(\.frameCount), [20, 20, 10])
            // Only the first part comes after a gap.
            XCTAssertEqual(blocks.map(\.missedFrames), [number, 0, 0])
            XCTAssertEqual(blocks.map(\.isContinuation), [false, true, true])
            XCTAssertEqual(blocks.map { Int($0.timestamp.position) }, [0, 20, 40].map { 50 * number + $0 })
        }
    }

    func testTheNextBlockReportsDroppedFrames() {
        let memory = memory(frames: 8)
        var reader = CaptureReader(memory)
        XCTAssertTrue(write(6, at: 0, to: memory))
        XCTAssertFalse(write(3, at: 6, to: memory))
        XCTAssertFalse(write(4, at: 11, missed: 2, to: memory))
        XCTAssertEqual(readAll(&reader).map(\.droppedFrames), [0])
        XCTAssertTrue(write(2, at: 16, missed: 1, to: memory))
        let blocks = readAll(&reader)
        XCTAssertEqual(blocks.map(\.droppedFrames), [7])
        XCTAssertEqual(blocks.map(\.missedFrames), [3])
        XCTAssertEqual(blocks.map(\.frameCount), [2])
    }

    func testTheLastDroppedFramesAreReportedAtTheEnd() {
        let memory = memory(lanes: 2, frames: 8)
        var reader = CaptureReader(memory)
        for lane in 0..<2 {
            XCTAssertTrue(write(6, at: 0, lane: lane, to: memory))
            XCTAssertFalse(write(3 + lane, at: 6, cycle: 2, lane: lane, to: memory))
        }
        XCTAssertEqual(readAll(&reader).map(\.droppedFrames), [0, 0])
        XCTAssertFalse(reader.isAtEnd)
        memory.finish()
        XCTAssertFalse(reader.isAtEnd)
        XCTAssertEqual(readAll(&reader).map { [$0.lane, $0.frameCount, $0.droppedFrames] }, [[0, 0, 3], [1, 0, 4]])
        XCTAssertTrue(reader.isAtEnd)
        XCTAssertNil(reader.read(upTo: 1))
    }

    func testWhatAStreamHasLostIsNotTakenForAnothers() {
        let memory = memory(frames: 8)
        var reader = CaptureReader(memory)
        XCTAssertTrue(write(6, at: 0, stream: 1, to: memory))
        XCTAssertFalse(write(3, at: 6, stream: 1, to: memory))
        // There is room for a record that only reports, and none for the samples.
        XCTAssertFalse(write(4, at: 9, stream: 2, to: memory))
        XCTAssertEqual(
            readAll(&reader).map { [Int($0.sourceGeneration), $0.frameCount, $0.droppedFrames] },
            [[1, 6, 0], [1, 0, 3]])
        XCTAssertTrue(write(5, at: 13, stream: 2, to: memory))
        XCTAssertEqual(
            readAll(&reader).map { [Int($0.sourceGeneration), $0.frameCount, $0.droppedFrames] }, [[2, 5, 4]])
    }

    func testMoreBlocksThanThereIsRoomForAreDropped() {
        let memory = memory(frames: 4096, records: 16)
        var reader = CaptureReader(memory)
        for number in 0..<20 { XCTAssertEqual(write(1, at: number, to: memory), number < 16) }
        XCTAssertEqual(readAll(&reader).count, 16)
        XCTAssertTrue(write(1, at: 20, to: memory))
        XCTAssertEqual(readAll(&reader).map(\.droppedFrames), [4])
    }

    func testTwoThreadsAgreeOnEveryFrame() {
        let memory = memory(frames: 256, records: 32)
        let cycles = 20_000
        let thread = Thread {
            var next = 0
            for cycle in 0..<cycles {
                let count = 1 + cycle % 13
                _ = Self.put(count, at: next, cycle: cycle, stream: UInt64(cycle / 100), to: memory)
                next += count
            }
            // The end, which must fit.
            while !Self.put(1, at: next, cycle: cycles, stream: .max, to: memory) { next += 1 }
        }
        thread.start()
        var reader = CaptureReader(memory)
        // Frames are numbered: each is in a block or counted as dropped.
        var next = 0
        let deadline = Date(timeIntervalSinceNow: 60)
        while Date() < deadline {
            guard let block = reader.read(upTo: 7) else { continue }
            next += block.droppedFrames
            if block.frameCount > 0 { XCTAssertEqual(Int(block.timestamp.position), next) }
            for channel in 0..<block.channelCount {
                XCTAssertEqual(
                    Array(block[channel]), (0..<block.frameCount).map { Float((next + $0) % 1_000_000 + channel) })
            }
            next += block.frameCount
            if block.sourceGeneration == .max { return }
        }
        XCTFail("the end did not come")
    }

    private static func put(_ count: Int, at place: Int, cycle: Int, stream: UInt64, to memory: StreamMemory) -> Bool {
        var record = StreamRecord()
        record.cycle = UInt64(cycle)
        record.generation = stream
        record.arrival = Int64(place)
        record.frameCount = count
        record.channelCount = 2
        record.sampleRate = 48_000
        return memory.put(record) { Float((place + $0) % 1_000_000 + $1) }
    }
}
