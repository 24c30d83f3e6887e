// SPDX-License-Identifier: MIT
import PipeWireClient
import XCTest

final class FilterNodeStateTests: XCTestCase {
    private var state = FilterNodeState()

    private func connect() {
        _ = state.handle(.connect)
        _ = state.handle(.reported(.paused, error: nil))
    }

    func testANodeIsReadyWhenItFirstPauses() {
        XCTAssertEqual(state.handle(.connect), .none)
        XCTAssertEqual(state.handle(.reported(.connecting, error: nil)), .none)
        XCTAssertEqual(state.handle(.reported(.paused, error: nil)), .ready)
        XCTAssertEqual(state.phase, .paused)
    }

    func testANodeThatStreamsAtOnceIsReadyToo() {
        _ = state.handle(.connect)
        XCTAssertEqual(state.handle(.reported(.streaming, error: nil)), .ready)
    }

    func testEachPauseOfANodeThatStreamsIsTold() {
        connect()
        XCTAssertEqual(state.handle(.reported(.paused, error: nil)), .none, "it has not streamed")
        XCTAssertEqual(state.handle(.reported(.streaming, error: nil)), .none)
        XCTAssertEqual(state.handle(.reported(.paused, error: nil)), .pause)
        XCTAssertEqual(state.handle(.reported(.paused, error: nil)), .none)
        XCTAssertEqual(state.handle(.reported(.streaming, error: nil)), .none)
        XCTAssertEqual(state.phase, .streaming)
    }

    func testARefusedRequestDoesNotEndANodeThatRuns() {
        connect()
        XCTAssertEqual(state.handle(.reported(.error, error: "not supported")), .none)
        XCTAssertEqual(state.phase, .paused)
    }

    func testAnErrorWhileConnectingEndsItWithPipeWiresWords() {
        _ = state.handle(.connect)
        let error = PipeWireError.nodeFailed(reason: "no memory")
        XCTAssertEqual(state.handle(.reported(.error, error: "no memory")), .failed(error))
        XCTAssertEqual(state.phase, .failed(error))
        XCTAssertEqual(state.handle(.reported(.paused, error: nil)), .none)
    }

    func testANodeRemovedByAnotherClientFails() {
        connect()
        XCTAssertEqual(
            state.handle(.reported(.unconnected, error: nil)), .failed(.nodeFailed(reason: "the node was removed")))
    }

    func testALostConnectionFailsItOnce() {
        connect()
        let error = PipeWireError.connectionLost(.daemonGone)
        XCTAssertEqual(state.handle(.connectionLost(error)), .failed(error))
        XCTAssertEqual(state.handle(.connectionLost(error)), .none)
        XCTAssertEqual(state.handle(.reported(.unconnected, error: nil)), .none)
    }

    func testItIsTornDownOnceFromAnyState() {
        let histories: [[FilterNodeState.Event]] = [
            [], [.connect], [.connect, .reported(.paused, error: nil)],
            [.connect, .reported(.streaming, error: nil)], [.connect, .reported(.error, error: "x")],
        ]
        for history in histories {
            var state = FilterNodeState()
            for event in history { _ = state.handle(event) }
            XCTAssertEqual(state.handle(.close), .tearDown)
            XCTAssertEqual(state.handle(.close), .none)
            XCTAssertEqual(state.phase, .closed)
            // An event that still arrives from PipeWire during the end.
            XCTAssertEqual(state.handle(.reported(.unconnected, error: nil)), .none)
        }
    }

    func testReportsBeforeConnectingMeanNothing() {
        XCTAssertEqual(state.handle(.reported(.paused, error: nil)), .none)
        XCTAssertEqual(state.phase, .unconnected)
    }
}
