// SPDX-License-Identifier: MIT
import RealtimeKit
import XCTest

@testable import PipeBus

/// A stream reports the cycles in which a source that is connected gave nothing: of each source, or of the mix.
final class StreamMissedFramesTests: XCTestCase {
    private static let frames = 256
    private static let sound = [Float](repeating: 0.5, count: frames)
    /// The cycles in which the source of each lane gives nothing.
    private static let silentCycles: [Set<Int>] = [[0, 5, 6, 11, 12, 13], [6, 9, 10, 11, 12, 13], []]

    private func rig(isSeparate: Bool) throws -> (rig: ReceiverRig, stream: StreamMemory) {
        let rig = ReceiverRig(lanes: 3, isSeparate: isSeparate, fade: .none)
        for lane in 0..<3 { rig.link(lane, source: UInt64(lane + 1), latency: lane == 1 ? 700...700 : 0...0) }
        let stream = StreamMemory(
            laneCount: isSeparate ? 3 : 1, width: 2, isSeparate: isSeparate, capacity: 1 << 14, records: 256)
        try rig.memory.receiver!.streams.add(stream)
        return (rig, stream)
    }

    private func run(_ cycles: Range<Int>, on rig: ReceiverRig) throws {
        for cycle in cycles {
            // The second source is disconnected, and the first one comes back much later.
            if cycle == 9 { rig.unlink(1) }
            _ = try XCTUnwrap(
                rig.run(Self.frames) { lane, _ in Self.silentCycles[lane].contains(cycle) ? nil : Self.sound })
        }
    }

    private func missed(_ stream: StreamMemory, format: StreamFormat = .float32) -> [Int: [Int: Int]] {
        var reader = CaptureReader(stream, format: format)
        var missed: [Int: [Int: Int]] = [:]
        while let block = reader.read(upTo: 4096) {
            guard block.missedFrames > 0 else { continue }
            XCTAssertTrue(block.isContinuation, "silence was given")
            let arrival = Int(block.timestamp.position) + block.age.frames
            missed[block.lane, default: [:]][arrival / Self.frames] = block.missedFrames
        }
        return missed
    }

    func testOfEachSource() throws {
        let (rig, stream) = try rig(isSeparate: true)
        try run(0..<16, on: rig)
        XCTAssertEqual(missed(stream), [0: [7: 512, 14: 768], 1: [7: 256]])
    }

    /// Of the source that missed most.
    func testOfAMix() throws {
        let (rig, stream) = try rig(isSeparate: false)
        try run(0..<16, on: rig)
        XCTAssertEqual(missed(stream), [0: [7: 512, 14: 768]])
    }

    /// A resampler goes on through the silence: the other sources do not hear of it.
    func testOfAMixAtAnotherRate() throws {
        let (rig, stream) = try rig(isSeparate: false)
        try run(0..<16, on: rig)
        var reader = CaptureReader(stream, format: StreamFormat(.float32, sampleRate: 44_100))
        var (missed, frames, end) = (0, 0, nil as UInt64?)
        while let block = reader.read(upTo: 4096) {
            missed += block.missedFrames
            frames += block.frameCount
            let start = block.timestamp.time.nanoseconds
            if let end {
                XCTAssertTrue(block.isContinuation)
                XCTAssertLessThan(start > end ? start - end : end - start, 1000)
            }
            end = start + UInt64(block.frameCount) * 1_000_000_000 / 44_100
        }
        XCTAssertEqual(missed, 512 + 768)
        XCTAssertGreaterThan(frames, 3000)
    }

    func testAReaderCountsThem() throws {
        for isSeparate in [false, true] {
            let (rig, stream) = try rig(isSeparate: isSeparate)
            let memory = ReaderMemory(
                stream, of: rig.memory.receiver!.streams, port: rig.memory.cells, fade: .none,
                declaredBlock: Self.frames)
            var output = ReaderOutput(
                StreamFormat(.float32, isInterleaved: false), memory: memory, graphRate: 48_000, hasOwnClock: false)
            var samples = [Float](repeating: 0, count: 2 * Self.frames)
            for cycle in 0..<20 {
                try run(cycle..<cycle + 1, on: rig)
                for lane in 0..<stream.laneCount {
                    _ = unsafe samples.withUnsafeMutableBytes { bytes in
                        unsafe output.read(
                            Self.frames, lane: lane, of: memory.core, into: bytes.baseAddress!, at: .now)
                    }
                }
                output.endInterval(of: memory.core)
            }
            let statistics = memory.core.value.statistics
            XCTAssertEqual(statistics.missedFrames, isSeparate ? 512 + 768 + 256 : 512 + 768)
            XCTAssertEqual(statistics.discardedFrames, 0)
        }
    }
}
