// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import track_recorder

/// The places of blocks in a recording with a sample rate of its own.
final class BlockPlacerTests: XCTestCase {
    private static let rates = [(48_000, 44_100), (44_100, 48_000), (48_000, 384_000), (192_000, 8000)]
    private let start: Int64 = -500

    private func block(
        _ time: RecordingTime, at position: Double, count: Int, continues: Bool = true, missed: Int = 0
    ) -> CapturedBlock {
        CapturedBlock(
            stream: 1, position: start + Int64(position.rounded()), frameCount: count, channelCount: 1,
            isContinuation: continues, missedFrames: missed)
    }

    /// No frame is dropped or doubled by rounding, and each is at its time, also after a month.
    func testBlocksWithoutAGapFollowEachOtherToTheFrame() {
        for (graphRate, sampleRate) in Self.rates {
            let time = RecordingTime(start: start, graphRate: graphRate, sampleRate: sampleRate)
            let ratio = Double(sampleRate) / Double(graphRate)
            var numbers = SeededGenerator(seed: UInt64(sampleRate))
            for day in [0, 1, 30] {
                var placer = BlockPlacer(time)
                let first = Double(day * 86_400 * graphRate + 12_345)
                var (made, end) = (0, Int64?.none)
                for _ in 0..<2000 {
                    let position = first + Double(made) / ratio
                    let count = Int.random(in: 1...8192, using: &numbers)
                    var block = block(time, at: position, count: count, continues: end != nil)
                    placer.place(&block, lane: 3)
                    if let end { XCTAssertEqual(block.position, end) }
                    XCTAssertEqual(Double(block.position - start), position * ratio, accuracy: 1.001)
                    end = block.position + Int64(count)
                    made += count
                }
            }
        }
    }

    func testAGapIsAsLongAsItWasAndIsCountedWhole() {
        for (graphRate, sampleRate) in Self.rates {
            let time = RecordingTime(start: start, graphRate: graphRate, sampleRate: sampleRate)
            let ratio = Double(sampleRate) / Double(graphRate)
            for missed in [1000, 1023, 4097] {
                var placer = BlockPlacer(time)
                var before = block(time, at: 777, count: 500, continues: false)
                placer.place(&before, lane: 0)
                let position = (777 + 500 / ratio).rounded() + Double(missed)
                var after = block(time, at: position, count: 500, continues: false, missed: missed)
                placer.place(&after, lane: 0)
                XCTAssertEqual(Double(after.position - start), position * ratio, accuracy: 0.501)
                XCTAssertEqual(after.missedFrames, Int(after.position - before.position) - 500)
                // The source's latency falls: what follows is later.
                let next = position + 500 / ratio + 300
                var later = block(time, at: next, count: 500)
                placer.place(&later, lane: 0)
                XCTAssertEqual(Double(later.position - start), next * ratio, accuracy: ratio / 2 + 0.501)
                XCTAssertGreaterThan(later.position, after.position + 500)
            }
        }
    }

    /// What a source alone missed came as silence before.
    func testABlockAfterSilentOnesFollowsThemToTheFrame() {
        for (graphRate, sampleRate) in Self.rates {
            let time = RecordingTime(start: start, graphRate: graphRate, sampleRate: sampleRate)
            let ratio = Double(sampleRate) / Double(graphRate)
            var numbers = SeededGenerator(seed: UInt64(sampleRate))
            var placer = BlockPlacer(time)
            var (made, end) = (0, Int64?.none)
            for _ in 0..<500 {
                let count = Int.random(in: 1...8192, using: &numbers)
                var block = block(time, at: Double(made) / ratio, count: count, continues: end != nil, missed: 4096)
                placer.place(&block, lane: 0)
                if let end { XCTAssertEqual(block.position, end) }
                XCTAssertEqual(block.missedFrames, time.frames(4096))
                end = block.position + Int64(count)
                made += count
            }
        }
    }

    func testPlacesAndLengthsOfAnySizeAreConverted() {
        let time = RecordingTime(start: start, graphRate: 48_000, sampleRate: 384_000)
        XCTAssertEqual(time.place(of: start), start)
        XCTAssertEqual(time.place(of: start + 3), start + 24)
        XCTAssertEqual(time.place(of: start - 3), start - 24)
        XCTAssertEqual(time.place(of: .min), .min)
        XCTAssertGreaterThan(time.place(of: .max - 1000), 1 << 60)
        XCTAssertEqual(time.frames(.max), .max)
        let lower = RecordingTime(start: 0, graphRate: 48_000, sampleRate: 44_100)
        XCTAssertEqual(lower.place(of: 48_000 * 86_400 * 365), 44_100 * 86_400 * 365)
        XCTAssertEqual([-160, -1, 0, 1, 160].map { lower.place(of: $0) }, [-147, -1, 0, 1, 147])
        let same = RecordingTime(start: 0, graphRate: 48_000, sampleRate: 48_000)
        XCTAssertEqual(same.place(of: 12_345), 12_345)
        XCTAssertEqual(same.frames(77), 77)
    }
}
