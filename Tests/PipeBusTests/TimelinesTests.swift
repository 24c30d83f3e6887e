// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// The time of an app whose ports several threads process.
final class TimelinesTests: XCTestCase {
    func testOnTheFirstClockOfASessionAllAgree() {
        let timelines = Timelines()
        let (main, other) = (TimelineRig(timelines.main), TimelineRig(timelines.other(ofPortAt: 3)))
        for cycle in 0..<5 as Range<UInt64> {
            let (a, b) = (
                main.come(at: 480 * cycle, milliseconds: 500 + 10 * Double(cycle)),
                other.come(at: 480 * cycle, milliseconds: 500 + 10 * Double(cycle))
            )
            XCTAssertEqual(a.position, b.position)
            XCTAssertNotEqual(a.clock, b.clock)
        }
        XCTAssertIdentical(timelines.other(ofPortAt: 3), timelines.other(ofPortAt: 3))
        XCTAssertNotIdentical(timelines.other(ofPortAt: 3), timelines.other(ofPortAt: 2))
    }

    func testTheNextSessionBeginsWhereTheFurthestEnded() {
        let timelines = Timelines()
        let (main, other) = (TimelineRig(timelines.main), TimelineRig(timelines.other(ofPortAt: 1)))
        XCTAssertEqual(main.come(at: 0, milliseconds: 500).position, 0)
        XCTAssertEqual(other.come(at: 0, milliseconds: 500).position, 0)
        // The other thread sees three more clocks, each of which begins early.
        for id in 2...4 as ClosedRange<UInt32> { _ = other.come(at: 9, milliseconds: 500, id: id) }
        XCTAssertEqual(other.timeline.end, 1920)
        timelines.endSession()
        let next = TimelineRig(timelines.other(ofPortAt: 1))
        let a = main.come(at: 7, milliseconds: 501)
        let b = next.come(at: 7, milliseconds: 501)
        XCTAssertEqual([a.position, b.position], [1920, 1920])
        XCTAssertEqual(Set([a.clock, b.clock]), [6, 7])
    }
}
