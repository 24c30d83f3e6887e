// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// Which node is the first one in a cycle, as the audio thread asks.
final class CycleGateTests: XCTestCase {
    private var gate = CycleGate()
    private var marks = Array(repeating: CycleGate.Mark(), count: 3)

    /// The nodes, of those that run one after the other in a cycle, that were the first.
    private func come(
        _ nodes: [Int], at position: UInt64, clock: UInt32 = 1, time: UInt64? = nil
    ) -> [Int] {
        nodes.filter { node in
            gate.isFirst(
                &marks[node], GraphMoment(position: position, clock: clock), nanoseconds: time ?? position)
        }
    }

    func testTheFirstOfEachCycle() {
        XCTAssertEqual(come([0, 1, 2], at: 0), [0])
        XCTAssertEqual(come([2, 0], at: 256), [2])
        XCTAssertEqual(come([1], at: 512), [1])
        XCTAssertEqual(come([1, 0, 2], at: 400), [1], "backwards is another cycle too")
        XCTAssertEqual(come([1, 0, 2], at: .max), [1])
    }

    func testTheSamePositionOfAnotherClockIsAnotherCycle() {
        XCTAssertEqual(come([0, 1], at: 1024, clock: 1), [0])
        XCTAssertEqual(come([1, 0], at: 1024, clock: 2), [1])
        XCTAssertEqual(come([1, 0], at: 1024, clock: 1), [1])
    }

    /// A time may be rewritten while the cycle runs.
    func testTheTimeDoesNotMatterToNodesThatComeOnce() {
        XCTAssertEqual(come([0], at: 1024, time: 5), [0])
        XCTAssertEqual(come([1], at: 1024, time: 6), [])
        XCTAssertEqual(come([2], at: 2048, time: 6), [2])
    }

    func testAPositionThatStandsStillWhileTheTimeGoesOn() {
        for cycle in 0..<10 as Range<UInt64> {
            XCTAssertEqual(come([0, 1, 2].shuffled(), at: 0, time: cycle).count, 1)
        }
        for cycle in 10..<20 as Range<UInt64> { XCTAssertEqual(come([1], at: 0, time: cycle), [1]) }
    }

    func testAPositionThatStandsStillWithTheTime() {
        XCTAssertEqual(come([0, 1], at: 0, time: 0), [0])
        // These might be nodes that were held up.
        for _ in 1..<CycleGate.standstill { XCTAssertEqual(come([0, 1], at: 0, time: 0), []) }
        for _ in 0..<10 { XCTAssertEqual(come([0, 1], at: 0, time: 0), [0]) }
        for _ in 0..<10 { XCTAssertEqual(come([1, 0], at: 0, time: 0).count, 1) }
        // Time goes on, and stands still again.
        XCTAssertEqual(come([0, 1], at: 256, time: 1), [0])
        XCTAssertEqual(come([0, 1], at: 256, time: 1), [])
    }

    func testANodeThatWasHeldUpComesTwiceInOneCycle() {
        XCTAssertEqual(come([0, 1], at: 0), [0])
        // The next cycle began before node 1 was at work on this one: it finds that one, and is called for it again.
        XCTAssertEqual(come([0, 1, 1, 2], at: 256), [0])
        XCTAssertEqual(come([1, 1, 1, 0, 0, 0], at: 512), [1])
        XCTAssertEqual(come([0, 1], at: 768), [0])
    }
}
