// SPDX-License-Identifier: MIT
import PeerProtocol
import XCTest

/// What the soak takes for a cycle that came at the wrong time. The numbers are those of a run.
final class SumReportTests: XCTestCase {
    private func report(_ breaks: [SumBreak]) -> SumReport {
        var report = SumReport()
        report.slope = 8
        report.frameCount = 128
        report.sampleRate = 48_000
        report.lastBreaks = breaks
        return report
    }

    private let leaving = [
        SumBreak(cycle: 3_930_284_287_303, frame: 64, before: 214_384, after: 191_748),
        SumBreak(cycle: 3_930_284_287_303, frame: 65, before: 191_748, after: 191_752),
    ]

    func testASourceThatIsMissingForTwoCycles() {
        let back = SumBreak(cycle: 3_930_289_620_635, frame: 64, before: 192_768, after: 216_440)
        XCTAssertEqual(
            report(leaving + [back]).untimelyCycles,
            [FrameRange(start: 3_930_284_287_303, end: 3_930_289_620_635 + 2_666_666)])
    }

    /// The only source: what comes after silence is no break, but the beginning of a sound.
    func testTheOnlySourceIsMissingForACycle() {
        var report = report([
            SumBreak(cycle: 6_227_535_145_833, frame: 0, before: 148_968, after: 0),
            SumBreak(cycle: 6_227_535_145_833, frame: 1, before: 0, after: 0),
        ])
        report.slope = 4
        report.frameCount = 256
        XCTAssertEqual(report.untimelyCycles, [], "it does not come back")
        report.lastOnsets = [SumBreak(cycle: 6_227_540_479_166, frame: 0, before: 0, after: 148_968 + 257 * 4)]
        XCTAssertEqual(
            report.untimelyCycles,
            [FrameRange(start: 6_227_535_145_833, end: 6_227_540_479_166 + 5_333_333)])
        report.lastOnsets[0].after += 4
        XCTAssertEqual(report.untimelyCycles, [], "it goes on elsewhere")
    }

    func testSoundThatGoesOnElsewhereIsABreak() {
        for (cycle, frame, after) in [
            // A frame further, a frame of the block further, a cycle late.
            (3_930_289_620_635, 64, 216_448), (3_930_289_620_635, 65, 216_440), (3_930_292_287_301, 64, 216_440),
        ] as [(UInt64, Int, Int32)] {
            let back = SumBreak(cycle: cycle, frame: frame, before: 192_768, after: after)
            XCTAssertEqual(report(leaving + [back]).untimelyCycles, [])
        }
        XCTAssertEqual(report(leaving).untimelyCycles, [], "it does not come back")
    }
}
