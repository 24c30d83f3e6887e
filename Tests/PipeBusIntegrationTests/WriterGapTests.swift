// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Blocks that a writer with a clock of its own is not given: packets that were lost, and pauses in which nothing is sent.
final class WriterGapTests: BusTestCase {
    /// A gap is silent for just its length, and leaves the clock as it was.
    func testGapsCostNothingElse() async throws {
        for (rate, offset, block, what, isLost) in [
            (16_000, 300e-6, 320, "near each other", { [50, 67, 84, 101, 118, 135, 152].contains($0 % 200) }),
            (48_000, -200e-6, 480, "every other one", { $0.isMultiple(of: 2) }),
            (44_100, -500e-6, 441, "two in eight", { $0 % 8 < 2 }),
            (16_000, 500e-6, 320, "pauses of 0.34 s", { $0 % 50 < 17 }),
            (16_000, -300e-6, 320, "pauses of 0.6 s", { $0 % 100 < 30 }),
        ] as [(Int, Double, Int, String, (Int) -> Bool)] {
            var scene = try await WriterClockScene.start(rate: rate, offset: offset, block: block, quantum: 256)
            try await scene.run(seconds: 10)
            XCTAssertTrue(scene.writer.isLocked, what)
            let before = scene.writer.statistics
            scene.forget()
            scene.isLost = isLost
            for _ in 0..<100 {
                try await scene.run(seconds: 0.1)
                XCTAssertTrue(scene.writer.isLocked, what)
            }
            XCTAssertLessThan(scene.worst, WriterClockScene.difference(after: 0.0002), what)
            // What a resampler holds back is too old after a pause.
            let dropped = scene.writer.statistics.droppedFrames - before.droppedFrames
            XCTAssertLessThan(dropped, 20 * 150, what)
            scene.isLost = { _ in false }
            try await scene.run(seconds: 1)
            let after = scene.writer.statistics
            scene.forget()
            try await scene.run(seconds: 5)
            XCTAssertLessThan(scene.worst, WriterClockScene.difference(after: 0.0002), what)
            XCTAssertEqual(scene.writer.statistics.droppedFrames, after.droppedFrames, what)
            XCTAssertEqual(scene.writer.statistics.underruns, after.underruns, what)
            try await scene.stage.close()
        }
    }

    /// A thread's times may be late for a moment, so a gap is believed at once only where the sound would be dropped otherwise.
    func testAThreadThatPauses() async throws {
        var scene = try await WriterClockScene.start(rate: 44_100, offset: 300e-6, block: 441, quantum: 256)
        scene.statesCalls = true
        try await scene.run(seconds: 10)
        let before = scene.writer.statistics
        scene.isLost = { $0 % 100 < 34 }
        try await scene.run(seconds: 10)
        XCTAssertLessThan(scene.writer.statistics.droppedFrames - before.droppedFrames, 20 * 150)
        try await scene.stage.close()
    }
}
