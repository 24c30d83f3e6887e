// SPDX-License-Identifier: MIT
import Foundation
import XCTest

@testable import track_recorder

final class CaptureTests: XCTestCase {
    private func capture(lanes: Int = 1, frames: Int = 64, blocks: Int = 256) -> Capture {
        Capture(laneCount: lanes, channelCount: 2, minimumCapacity: frames, blockCapacity: blocks)
    }

    /// Writes a cycle that counts on from its position, the channels a thousand apart.
    @discardableResult
    private func write(
        _ count: Int, at position: Int, stream: UInt64 = 1, channels: Int = 2, missed: Int = 0, lane: Int = 0,
        to writer: inout Capture.Writer
    ) -> Bool {
        let block = CapturedBlock(
            stream: stream, position: Int64(position), frameCount: count, channelCount: channels, missedFrames: missed)
        guard writer.begin(lane: lane, block) else { return false }
        for channel in 0..<channels {
            let samples = (0..<count).map { Float(position + $0 + 1000 * channel) }
            writer.fill(lane: lane, channel: channel, with: samples.span)
        }
        writer.end(lane: lane)
        return true
    }

    /// All blocks that can be read, after a look at their samples.
    private func readAll(_ reader: inout Capture.Reader, lane: Int = 0) -> [CapturedBlock] {
        var blocks: [CapturedBlock] = []
        while let block = reader.first(lane: lane) {
            blocks.append(block)
            let samples = reader.take(lane: lane)
            XCTAssertEqual(samples.count, 2 * block.frameCount)
            for frame in 0..<block.frameCount {
                for channel in 0..<block.channelCount {
                    XCTAssertEqual(
                        samples[2 * frame + channel], Float(Int(block.position) + frame + 1000 * channel))
                }
            }
        }
        return blocks
    }

    func testBlocksComeOutInOrderEachOnItsLane() {
        let capture = capture(lanes: 3)
        var writer = Capture.Writer(capture)
        var reader = Capture.Reader(capture)
        var next = 0
        for count in [1, 20, 7, 64, 3] {
            for lane in 0..<3 { XCTAssertTrue(write(count, at: next + 10 * lane, lane: lane, to: &writer)) }
            for lane in 0..<3 {
                let blocks = readAll(&reader, lane: lane)
                XCTAssertEqual(blocks.map(\.position), [Int64(next + 10 * lane)])
                XCTAssertEqual(blocks.map(\.frameCount), [count])
            }
            next += count
        }
    }

    func testABlockMayHaveFewerChannelsThanItsLane() {
        let capture = capture()
        var writer = Capture.Writer(capture)
        var reader = Capture.Reader(capture)
        XCTAssertTrue(write(5, at: 0, channels: 1, to: &writer))
        XCTAssertTrue(write(6, at: 5, channels: 2, to: &writer))
        XCTAssertEqual(readAll(&reader).map(\.channelCount), [1, 2])
    }

    func testTheNextBlockReportsDroppedFrames() {
        let capture = capture(frames: 8)
        var writer = Capture.Writer(capture)
        var reader = Capture.Reader(capture)
        XCTAssertTrue(write(6, at: 0, to: &writer))
        XCTAssertFalse(write(3, at: 6, to: &writer))
        XCTAssertFalse(write(4, at: 11, missed: 2, to: &writer))
        XCTAssertEqual(readAll(&reader).map(\.droppedFrames), [0])
        XCTAssertEqual(reader.rest(lane: 0)?.droppedFrames, 7)
        XCTAssertTrue(write(2, at: 16, missed: 1, to: &writer))
        let block = CapturedBlock(
            stream: 1, position: 16, frameCount: 2, channelCount: 2, missedFrames: 3, droppedFrames: 7)
        XCTAssertEqual(readAll(&reader), [block])
        XCTAssertNil(reader.rest(lane: 0))
    }

    func testWhatAStreamHasLostIsNotTakenForAnothers() {
        let capture = capture(frames: 8)
        var writer = Capture.Writer(capture)
        var reader = Capture.Reader(capture)
        XCTAssertTrue(write(6, at: 0, stream: 1, to: &writer))
        XCTAssertFalse(write(3, at: 6, stream: 1, to: &writer))
        // There is room for a block that only reports, and none for the samples.
        XCTAssertFalse(write(4, at: 9, stream: 2, to: &writer))
        XCTAssertEqual(
            readAll(&reader).map { [Int($0.stream), $0.frameCount, $0.droppedFrames] }, [[1, 6, 0], [1, 0, 3]])
        XCTAssertTrue(write(5, at: 13, stream: 2, to: &writer))
        XCTAssertEqual(readAll(&reader).map { [Int($0.stream), $0.frameCount, $0.droppedFrames] }, [[2, 5, 4]])
    }

    func testMoreBlocksThanThereIsRoomForAreDropped() {
        let capture = capture(frames: 4096, blocks: 16)
        var writer = Capture.Writer(capture)
        var reader = Capture.Reader(capture)
        for number in 0..<20 { XCTAssertEqual(write(1, at: number, to: &writer), number < 16) }
        XCTAssertEqual(readAll(&reader).count, 16)
        XCTAssertTrue(write(1, at: 20, to: &writer))
        XCTAssertEqual(readAll(&reader).map(\.droppedFrames), [4])
    }

    func testTwoThreadsAgreeOnEveryFrame() {
        let capture = capture(frames: 256, blocks: 32)
        let cycles = 20_000
        let thread = Thread {
            var writer = Capture.Writer(capture)
            var next = 0
            for cycle in 0..<cycles {
                let count = 1 + cycle % 13
                _ = Self.put(count, at: next, stream: UInt64(cycle / 100), &writer)
                next += count
            }
            // The end, which must fit.
            while !Self.put(1, at: next, stream: .max, &writer) { next += 1 }
        }
        thread.start()
        var reader = Capture.Reader(capture)
        // Frames are numbered: each is in a block or counted as dropped.
        var next = 0
        let deadline = Date(timeIntervalSinceNow: 60)
        while Date() < deadline {
            guard let block = reader.first(lane: 0) else { continue }
            let samples = reader.take(lane: 0)
            next += block.droppedFrames
            if block.frameCount > 0 { XCTAssertEqual(Int(block.position), next) }
            for frame in 0..<block.frameCount {
                XCTAssertEqual(samples[2 * frame], Float((next + frame) % 1_000_000))
                XCTAssertEqual(samples[2 * frame + 1], Float((next + frame) % 1_000_000))
            }
            next += block.frameCount
            if block.stream == .max { return }
        }
        XCTFail("the end did not come")
    }

    private static func put(_ count: Int, at position: Int, stream: UInt64, _ writer: inout Capture.Writer) -> Bool {
        let block = CapturedBlock(stream: stream, position: Int64(position), frameCount: count, channelCount: 2)
        guard writer.begin(lane: 0, block) else { return false }
        let samples = (0..<count).map { Float((position + $0) % 1_000_000) }
        for channel in 0..<2 { writer.fill(lane: 0, channel: channel, with: samples.span) }
        writer.end(lane: 0)
        return true
    }
}
