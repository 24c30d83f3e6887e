// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBus

final class LostPortsTests: XCTestCase {
    private func handle(_ name: String) -> PortHandle {
        let block: @Sendable (inout Int, AudioCycle, inout OutputChannels) -> Void = { _, _, _ in }
        let memory = try! PortMemory(state: 0, block: block, blockInputCount: 0, outputCount: 1)
        return PortHandle(name: name, nodeName: name, latency: 0, cells: memory.cells)
    }

    func testAPortThatIsRemovedIsMadeAtOnceThenLaterThenNoMore() {
        let ports = LostPorts()
        let port = handle("a")
        let now = ContinuousClock.now
        XCTAssertNil(ports.nextAttempt)
        XCTAssertTrue(ports.removed(port, at: now))
        XCTAssertEqual(ports.nextAttempt, now)
        var delays: [Duration] = []
        for _ in 0..<4 {
            XCTAssertTrue(ports.removed(port, at: now))
            delays.append(now.duration(to: ports.nextAttempt ?? now))
        }
        XCTAssertEqual(delays, [.milliseconds(10), .milliseconds(20), .milliseconds(40), .milliseconds(80)])
        XCTAssertFalse(ports.removed(port, at: now))
        XCTAssertTrue(ports.isEmpty)
    }

    func testAPortThatIsLostNowAndThenIsAlwaysMadeAgain() {
        let ports = LostPorts()
        let port = handle("a")
        for round in 0..<50 {
            let now = ContinuousClock.now.advanced(by: .seconds(3 * round))
            XCTAssertTrue(ports.removed(port, at: now), "round \(round)")
            XCTAssertFalse(ports.isEmpty)
            ports.restored(port)
            XCTAssertTrue(ports.isEmpty)
        }
    }

    func testPortsAreKnownApart() {
        let ports = LostPorts()
        let (one, other) = (handle("a"), handle("a"))
        let now = ContinuousClock.now
        for _ in 0..<5 { XCTAssertTrue(ports.removed(one, at: now)) }
        XCTAssertTrue(ports.removed(other, at: now))
        XCTAssertFalse(ports.removed(one, at: now))
        XCTAssertFalse(ports.isEmpty)
        ports.forget(other)
        XCTAssertTrue(ports.isEmpty)
    }

    func testAPortThatCannotBeMadeIsTriedOnForEver() {
        let ports = LostPorts()
        let port = handle("a")
        var now = ContinuousClock.now
        var delays: [Duration] = []
        for count in 1...20 {
            XCTAssertEqual(ports.failed(port, at: now), count)
            delays.append(now.duration(to: ports.nextAttempt ?? now))
            now = ports.nextAttempt ?? now
        }
        XCTAssertEqual(delays.prefix(4), [.milliseconds(10), .milliseconds(20), .milliseconds(40), .milliseconds(80)])
        XCTAssertEqual(delays.suffix(12), Array(repeating: .seconds(2), count: 12)[...])
        ports.restored(port)
        XCTAssertTrue(ports.isEmpty)
        XCTAssertEqual(ports.failed(port, at: now), 1)
        XCTAssertEqual(ports.nextAttempt, now.advanced(by: .milliseconds(10)))
    }

    /// Attempts that fail do not use up the removals after which a port is given up.
    func testFailuresAreNoRemovals() {
        let ports = LostPorts()
        let port = handle("a")
        let now = ContinuousClock.now
        for count in 1...20 { XCTAssertEqual(ports.failed(port, at: now), count) }
        for _ in 0..<LostPorts.maximumRemovals { XCTAssertTrue(ports.removed(port, at: now)) }
        XCTAssertFalse(ports.removed(port, at: now))
    }

    func testAPortThatIsClosedIsForgotten() {
        let ports = LostPorts()
        let (closed, declared) = (handle("a"), handle("b"))
        let now = ContinuousClock.now
        XCTAssertEqual(ports.failed(closed, at: now), 1)
        ports.keep { $0 === declared }
        XCTAssertTrue(ports.isEmpty)
        XCTAssertNil(ports.nextAttempt)
        XCTAssertTrue(ports.removed(declared, at: now))
        ports.keep { $0 === declared }
        XCTAssertEqual(ports.nextAttempt, now)
    }
}
