// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

/// The whole table: every event in every state.
final class BypassStateTests: XCTestCase {
    private let states: [BypassState] = [.wet, .filling, .toDry, .dry, .waitingForWet, .toWet]
    private let events: [BypassState.Event] = [
        .bypassRequested, .bypassReleased, .lineFilled, .fadedToDry, .fadedToWet, .wetCompleted, .reset,
    ]

    /// A row for each state, a column for each event.
    private let table: [[BypassState]] = [
        // bypassRequested, bypassReleased, lineFilled, fadedToDry, fadedToWet, wetCompleted, reset
        [.filling, .wet, .wet, .wet, .wet, .wet, .wet],  // wet
        [.filling, .wet, .toDry, .filling, .filling, .filling, .wet],  // filling
        [.toDry, .toWet, .toDry, .dry, .filling, .toDry, .wet],  // toDry
        [.dry, .waitingForWet, .dry, .dry, .dry, .dry, .wet],  // dry
        [.dry, .waitingForWet, .waitingForWet, .waitingForWet, .waitingForWet, .toWet, .wet],  // waitingForWet
        [.toDry, .toWet, .toWet, .toWet, .wet, .toWet, .wet],  // toWet
    ]

    func testEveryEventInEveryState() {
        for (row, state) in states.enumerated() {
            for (column, event) in events.enumerated() {
                var next = state
                let hasMoved = next.handle(event)
                XCTAssertEqual(next, table[row][column], "\(event) in \(state)")
                XCTAssertEqual(hasMoved, next != state, "\(event) in \(state)")
            }
        }
    }

    func testEveryEventIsIdempotent() {
        for state in states {
            for event in events {
                var next = state
                next.handle(event)
                XCTAssertFalse(next.handle(event), "\(event) twice in \(state)")
            }
        }
    }

    func testOnlyWhatIsDryDoesWithoutTheBlock() {
        XCTAssertEqual(states.filter { !$0.callsBlock }, [.dry])
    }

    /// From each state every other can be reached, and an order that stands leads to its end.
    func testOrdersLeadToTheirEnds() {
        for state in states {
            var bypassed = state
            for event in [.bypassRequested, .lineFilled, .fadedToDry] as [BypassState.Event] { bypassed.handle(event) }
            XCTAssertEqual(bypassed, .dry, "from \(state)")
            var ended = state
            for event in [.bypassReleased, .wetCompleted, .fadedToWet] as [BypassState.Event] { ended.handle(event) }
            XCTAssertEqual(ended, .wet, "from \(state)")
        }
    }
}
