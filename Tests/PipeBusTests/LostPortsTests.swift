// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class LostPortsTests: XCTestCase {
    private func handle(_ name: String) -> PortHandle {
        let block: @Sendable (inout Int, AudioCycle, inout OutputChannels) -> Void = { _, _, _ in }
        let memory = PortMemory(state: 0, block: block, blockInputCount: 0, outputCount: 1)
        return PortHandle(name: name, nodeName: name, latency: 0, cells: memory.cells)
    }

    func testAPortIsTriedAtOnceThenLaterThenNoMore() {
        let ports = LostPorts()
        let port = handle("a")
        let now = ContinuousClock.now
        XCTAssertNil(ports.nextAttempt)
        XCTAssertTrue(ports.failed(port, at: now))
        XCTAssertEqual(ports.nextAttempt, now)
        var delays: [Duration] = []
        for _ in 0..<4 {
            XCTAssertTrue(ports.failed(port, at: now))
            delays.append(now.duration(to: ports.nextAttempt ?? now))
        }
        XCTAssertEqual(delays, [.milliseconds(10), .milliseconds(20), .milliseconds(40), .milliseconds(80)])
        XCTAssertFalse(ports.failed(port, at: now))
        XCTAssertTrue(ports.isEmpty)
    }

    func testAPortThatIsLostNowAndThenIsAlwaysMadeAgain() {
        let ports = LostPorts()
        let port = handle("a")
        for round in 0..<50 {
            let now = ContinuousClock.now.advanced(by: .seconds(3 * round))
            XCTAssertTrue(ports.failed(port, at: now), "round \(round)")
            XCTAssertFalse(ports.isEmpty)
            ports.restored(port)
            XCTAssertTrue(ports.isEmpty)
        }
    }

    func testPortsAreKnownApart() {
        let ports = LostPorts()
        let (one, other) = (handle("a"), handle("a"))
        let now = ContinuousClock.now
        for _ in 0..<5 { XCTAssertTrue(ports.failed(one, at: now)) }
        XCTAssertTrue(ports.failed(other, at: now))
        XCTAssertFalse(ports.failed(one, at: now))
        XCTAssertFalse(ports.isEmpty)
        ports.forget(other)
        XCTAssertTrue(ports.isEmpty)
    }
}
