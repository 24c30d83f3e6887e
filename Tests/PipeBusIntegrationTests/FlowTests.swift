// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Waiting until sound flows over a connection.
final class FlowTests: DaemonTestCase {
    func testAConnectionFlows() async throws { try await check(.chosen) }
    func testAConnectionFlowsOn14() async throws { try await check(.newer()) }

    private func check(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(quantum: 256), installation: installation)
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        await assertTimesOut {
            try await bus.waitUntilFlowing(from: "Clock", to: receiver, timeout: .milliseconds(200))
        }
        let clock = try await ClockSender.start("Clock", in: daemon.environment())
        try await eventually("the clock") { await bus.graph.ports.contains { $0.nodeName == "Clock" } }
        do {
            try await bus.waitUntilFlowing(from: "Clock", to: receiver, timeout: .milliseconds(200))
            XCTFail("it flows without a connection")
        } catch let error as PipeBusError {
            XCTAssertEqual(error.message, "Clock is not connected to Test in. Waited 200 ms for the sound to flow.")
        }
        try await bus.connect("Clock", to: receiver)
        try await bus.waitUntilFlowing(from: "Clock", to: receiver, timeout: .seconds(20))
        let cycles = try await receiver.statistics.cycles
        XCTAssertGreaterThan(cycles, 0)

        clock.process.signal(SIGSTOP)
        try await eventually("the receiver to see that it hangs") {
            try await receiver.sources.first?.isStalled == true
        }
        do {
            try await bus.waitUntilFlowing(from: "Clock", to: receiver, timeout: .milliseconds(200))
            XCTFail("it flows from a source that hangs")
        } catch let error as PipeBusError {
            XCTAssertEqual(
                error.message,
                "Clock does not answer, and is disconnected from Test in until it does; its app may be stopped. "
                    + "Waited 200 ms for the sound to flow.")
        }
        clock.process.signal(SIGCONT)
        try await bus.waitUntilFlowing(from: "Clock", to: receiver, timeout: .seconds(20))

        let waiting = Task { try await bus.waitUntilFlowing(from: "Nobody", to: receiver, timeout: .seconds(600)) }
        waiting.cancel()
        let result = await waiting.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError, "\($0)") }
        await bus.close()
        clock.process.closeInput()
    }

    private func assertTimesOut(_ call: () async throws -> Void, line: UInt = #line) async {
        do {
            try await call()
            XCTFail("it flows", line: line)
        } catch { XCTAssertEqual((error as? PipeBusError)?.code, .timedOut, "\(error)", line: line) }
    }
}
