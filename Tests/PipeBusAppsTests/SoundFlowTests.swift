// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBusApps

final class SoundFlowTests: XCTestCase {
    func testFromConnectionToRelease() {
        var flow = SoundFlow(releaseDelay: .seconds(5))
        flow.look(isConnected: false, cycles: 7, at: .zero)
        XCTAssertFalse(flow.isFlowing)
        XCTAssertNil(flow.nextLook, "nothing is connected: the graph will tell")
        flow.look(isConnected: true, cycles: 7, at: .seconds(1))
        XCTAssertFalse(flow.isFlowing, "no cycle yet")
        XCTAssertEqual(flow.nextLook, .seconds(2))
        flow.look(isConnected: true, cycles: 50, at: .seconds(2))
        XCTAssertTrue(flow.isFlowing)
        // A graph that stands still.
        flow.look(isConnected: true, cycles: 50, at: .milliseconds(6999))
        XCTAssertTrue(flow.isFlowing)
        flow.look(isConnected: true, cycles: 50, at: .seconds(7))
        XCTAssertFalse(flow.isFlowing)
        XCTAssertEqual(flow.nextLook, .seconds(8))
        flow.look(isConnected: true, cycles: 51, at: .seconds(8))
        XCTAssertTrue(flow.isFlowing)
        flow.look(isConnected: false, cycles: 60, at: .seconds(9))
        XCTAssertTrue(flow.isFlowing, "a pause")
        XCTAssertEqual(flow.nextLook, .seconds(10))
        flow.look(isConnected: false, cycles: 60, at: .seconds(13))
        XCTAssertFalse(flow.isFlowing)
        XCTAssertNil(flow.nextLook)
    }

    /// Cycles that the ports had while they were not connected are none of a connection.
    func testCyclesWithoutAConnection() {
        var flow = SoundFlow(releaseDelay: .seconds(5))
        for second in 0..<20 {
            flow.look(isConnected: false, cycles: UInt64(second), at: .seconds(second))
            XCTAssertFalse(flow.isFlowing)
        }
        flow.look(isConnected: true, cycles: 100, at: .seconds(20))
        XCTAssertFalse(flow.isFlowing)
    }
}
