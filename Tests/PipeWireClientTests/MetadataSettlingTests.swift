// SPDX-License-Identifier: MIT
import PipeWireClient
import XCTest

final class MetadataSettlingTests: XCTestCase {
    private var settling = MetadataSettling()

    private func assertEnds(_ again: Set<String>, _ more: Bool, line: UInt = #line) {
        XCTAssertEqual(settling.roundTripEnded(), .init(republish: again, startsRoundTrip: more), line: line)
    }

    func testAChangeIsFollowedByOneRoundTrip() {
        XCTAssertTrue(settling.changed("a"))
        assertEnds([], false)
        XCTAssertTrue(settling.changed("a"))
        assertEnds([], false)
    }

    func testChangesDuringARoundTripHaveTheNextOne() {
        XCTAssertTrue(settling.changed("a"))
        XCTAssertFalse(settling.changed("b"))
        XCTAssertFalse(settling.changed("c"))
        assertEnds([], true)
        assertEnds([], false)
    }

    func testAChangeThatCrossesAListenerIsPublishedAgain() {
        XCTAssertTrue(settling.changed("a"))
        XCTAssertFalse(settling.changed("b"))
        XCTAssertFalse(settling.listenerAdded())
        assertEnds(["a", "b"], true)
        // The publication may have crossed another bind request.
        XCTAssertFalse(settling.listenerAdded())
        assertEnds(["a", "b"], true)
        assertEnds([], false)
    }

    func testWithoutAChangeAListenerCausesNoPublication() {
        XCTAssertTrue(settling.listenerAdded())
        assertEnds([], false)
        XCTAssertTrue(settling.changed("a"))
        assertEnds([], false)
    }

    func testAChangeRightAfterAListenerIsPublishedAgain() {
        XCTAssertTrue(settling.listenerAdded())
        XCTAssertFalse(settling.changed("a"))
        assertEnds(["a"], true)
        assertEnds([], false)
    }
}
