// SPDX-License-Identifier: MIT
import Foundation
import RealtimeKit
import Synchronization
import XCTest

@testable import PipeBus

/// Pairs with a known race, which ThreadSanitizer must find: otherwise its silence about the others means nothing.
/// `Scripts/hammer.sh` runs each by itself, and expects a report.
final class RacyPairTests: HammerTestCase {
    override func setUpWithError() throws {
        try XCTSkipUnless(
            ProcessInfo.processInfo.environment["PIPEBUS_RACES"] != nil, "races are made by Scripts/hammer.sh alone")
    }

    /// A writer's index without a release.
    func testAnIndexThatIsNotReleased() {
        let cells = OwnedCells(repeating: 0, count: 64)
        let (row, pace) = (SharedRow(cells: cells.cells), Pace())
        hammer(
            pace,
            {
                for number in 1...10_000 {
                    guard pace.wait(until: { pace.lead < 32 }) else { break }
                    row.cells[number % 64] = number
                    pace.written.store(number, ordering: .relaxed)
                }
            },
            {
                for number in 1...10_000 {
                    guard pace.wait(until: { pace.lead > 0 }) else { break }
                    if row.cells[number % 64] == -1 { pace.fail("no number") }
                    pace.read.store(number, ordering: .relaxed)
                }
                pace.end()
            })
    }

    /// A stream's samples, read before their record came.
    func testSamplesThatAreReadBeforeTheirRecord() {
        let sound = CountingSound()
        let receiver = HammeredReceiver(sound: sound)
        let stream = StreamMemory(laneCount: 1, width: 2, isSeparate: false, capacity: 1024, records: 1024)
        XCTAssertNoThrow(try receiver.streams.add(stream))
        let pace = Pace()
        hammer(
            pace,
            {
                for _ in 0..<15 { receiver.run(64) }
                pace.written.store(1, ordering: .relaxed)
            },
            {
                let copy = OwnedCells<Float>(repeating: 0, count: 64)
                guard pace.wait(until: { pace.lead > 0 }) else { return }
                unsafe stream.reading[0].copy(
                    channel: 0, into: SampleBlock(copy.cells.pointer(at: 0), frameCount: 64))
                pace.end()
            })
    }

    private struct SharedRow: @unchecked Sendable {
        // @unchecked: that is the race.
        let cells: Cells<Int>
    }
}
