// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import ToolSupport
import XCTest

@testable import track_recorder

final class TrackFiguresTests: ToolTestCase {
    /// What is missing from before the start is no silence in the file, so it is not counted.
    func testOnlyWhatIsMissingFromTheFileIsCounted() throws {
        let settings = TrackSettings(
            sampleRate: 48_000, format: .float32, memory: MemoryBudget(capacity: MemoryBudget.standardCapacity),
            report: { XCTFail($0) })
        func add(_ blocks: [CapturedBlock]) throws -> TrackFigures {
            let path = "\(folder)/track.wav"
            let sink = TrackSink(.given(try OutputFile(path: path)), channelCount: 1, settings: settings)
            let track = Track(sink, title: "Voice", start: 0, limit: .max)
            for block in blocks {
                try track.add(block, [Float](repeating: 0.5, count: block.frameCount), lane: 0)
            }
            try track.close(length: 1000, isLast: true)
            return track.figures
        }
        func block(
            _ place: Int64, isContinuation: Bool = false, count: Int = 100, missed: Int = 0, dropped: Int = 0
        ) -> CapturedBlock {
            CapturedBlock(
                stream: 1, position: place, frameCount: count, channelCount: 1, isContinuation: isContinuation,
                missedFrames: missed, droppedFrames: dropped)
        }
        let first = block(-1000)
        for (keyPath, missed, dropped) in [
            (\TrackFigures.missedFrames, 1, 0), (\.droppedFrames, 0, 1), (\.gapFrames, 0, 0),
        ] {
            for (place, expected) in [(-100, 0), (0, 0), (30, 30), (-50, 0), (400, 400)] {
                let gap = place + 900
                let figures = try add([first, block(Int64(place), missed: missed * gap, dropped: dropped * gap)])
                XCTAssertEqual(figures[keyPath: keyPath], expected, "\(place)")
            }
        }
        for (place, expected) in [(-50, 0), (30, 30)] {
            XCTAssertEqual(try add([first, block(Int64(place), isContinuation: true)]).skippedFrames, expected)
        }
        // A block that only reports says where the dropped frames begin.
        for (place, expected) in [(-1000, 0), (-200, 100), (0, 300)] {
            XCTAssertEqual(try add([first, block(Int64(place), count: 0, dropped: 300)]).droppedFrames, expected)
        }
    }
}
