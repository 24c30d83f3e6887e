// SPDX-License-Identifier: MIT
import PeerProtocol
import XCTest

/// Fails unless the port heard so many frames in so many cycles, all of them right, from the signal's first on.
func assertExact(
    _ report: PeerReport, frames: UInt64, cycles: UInt64, _ what: String, file: StaticString = #filePath,
    line: UInt = #line
) {
    assertUndisturbed(report, frames: frames, cycles: cycles, what, file: file, line: line)
    let faults = report.wrong + report.missing + report.repeated + report.leadingSilence + report.leadingPart
    guard report.correct != frames || faults != 0 else { return }
    XCTFail(
        "\(what): of \(frames) frames \(report.correct) are right, \(report.wrong) wrong, \(report.missing) missing, "
            + "\(report.repeated) repeated, \(report.leadingSilence) silent before the first. The first fault is at "
            + "position \(report.faultPosition), channel \(report.faultChannel): \(report.faultSample) instead of "
            + "\(report.faultExpected). Wrong: \(report.wrongRanges.prefix(10))",
        file: file, line: line)
}

/// Fails unless the port's block was called for exactly these frames, without a gap.
func assertUndisturbed(
    _ report: PeerReport, frames: UInt64, cycles: UInt64, _ what: String, file: StaticString = #filePath,
    line: UInt = #line
) {
    XCTAssertEqual(report.frames, frames, "\(what): frames", file: file, line: line)
    XCTAssertEqual(report.cycles, cycles, "\(what): cycles", file: file, line: line)
    XCTAssertEqual(report.endPosition - report.firstPosition, frames, "\(what): positions", file: file, line: line)
    XCTAssertEqual(report.missedFrames, 0, "\(what): missed frames", file: file, line: line)
    XCTAssertEqual(report.gaps + report.breaks, [], "\(what): gaps", file: file, line: line)
    // The first cycle of all continues nothing.
    XCTAssertEqual(report.discontinuities, 1, "\(what): discontinuities", file: file, line: line)
}

/// Fails unless every wrong frame was reported by `AudioCycle` to one of the ports that it came through: it lies in a gap,
/// in a cycle that does not continue the last one, or in the last cycle before a gap. In that one the port itself may have been
/// late, and its sources wrote the next cycles into the buffers that it still read.
func assertFaultsAreReported(
    to receiver: PeerReport, through ports: [PeerReport], file: StaticString = #filePath, line: UInt = #line
) {
    let reported = (ports + [receiver]).flatMap { report in
        report.gaps.map { FrameRange(start: $0.start - min($0.start, UInt64(report.longestCycle)), end: $0.end) }
            + report.breaks
    }
    var unreported: [UInt64] = []
    for range in receiver.wrongRanges {
        let near = reported.filter { $0.overlaps(range) }
        unreported += (range.start..<range.end).filter { frame in
            !near.contains { $0.start <= frame && frame < $0.end }
        }
    }
    if let first = unreported.first {
        XCTFail(
            "\(unreported.count) frames are wrong, the first at \(first), of which nothing was reported; \(reported.count) "
                + "gaps and breaks were, such as \(reported.prefix(5)). First fault of all at \(receiver.faultPosition), "
                + "channel \(receiver.faultChannel): \(receiver.faultSample) instead of \(receiver.faultExpected)",
            file: file, line: line)
    }
    XCTAssertEqual(
        receiver.wrong, receiver.wrongRanges.reduce(0) { $0 + $1.end - $1.start }, "more faults than are listed",
        file: file, line: line)
}
