// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A daemon that stands still while an app's ports are being made again, or a call waits for a port.
final class SilentDaemonTests: DaemonTestCase {
    /// An app with many ports, whose daemon has just ended.
    private func startWithoutDaemon() async throws -> (HeadlessPipeWire, BusClient, [SenderPort]) {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        var ports: [SenderPort] = []
        for number in 0..<100 {
            ports.append(try await bus.sender("out \(number)", channels: .mono, state: ()) { _, _, _ in })
        }
        try await daemon.kill()
        try await eventually("the interruption") { bus.state != .running }
        return (daemon, bus, ports)
    }

    /// Starts the daemon, and stops it when the first port is there.
    private func stopWhilePortsAreMade(_ daemon: HeadlessPipeWire, _ ports: [SenderPort]) async throws {
        try daemon.startAgain()
        // The poll of `eventually` is too slow for this, and a task may have to wait for its turn.
        await withCheckedContinuation { isStopped in
            Thread.detachNewThread {
                let end = ContinuousClock.now.advanced(by: .seconds(20))
                while ports[0].graphID == nil, ContinuousClock.now < end {}
                daemon.signal(SIGSTOP)
                isStopped.resume()
            }
        }
        XCTAssertNotNil(ports[0].graphID)
        XCTAssertNil(try XCTUnwrap(ports.last).graphID, "the daemon was stopped too late")
    }

    /// The app is not connected before it has all of its ports, and is told why.
    func testTheAppIsNotConnectedUntilItsPortsAreMade() async throws {
        let (daemon, bus, ports) = try await startWithoutDaemon()
        let states = StateLog(bus)
        try await stopWhilePortsAreMade(daemon, ports)
        try await eventually("the reason", within: .seconds(30)) { bus.state.reason?.kind == .notResponding }
        let stopped = ContinuousClock.now
        try await eventually("some time to pass") { stopped.duration(to: .now) > .seconds(3) }
        XCTAssertEqual(states.kinds, ["daemonGone", "notResponding"])
        XCTAssertEqual(bus.state.reason?.isConnectionLost, true)
        daemon.signal(SIGCONT)
        try await eventually("the app to be connected", within: .seconds(30)) { bus.state == .running }
        XCTAssertFalse(ports.contains { $0.graphID == nil })
        // The log is a reader of its own.
        try await eventually("the log") { states.kinds == ["daemonGone", "notResponding", "running"] }
        await bus.close()
    }

    /// A client that is closed meanwhile does not wait for the daemon to go on.
    func testTheAppMayEnd() async throws {
        let (daemon, bus, ports) = try await startWithoutDaemon()
        try await stopWhilePortsAreMade(daemon, ports)
        try await eventually("the reason", within: .seconds(30)) { bus.state.reason?.kind == .notResponding }
        let start = ContinuousClock.now
        await bus.close()
        XCTAssertLessThan(start.duration(to: .now), .seconds(10))
        XCTAssertEqual(bus.state.reason?.kind, .closedByApp)
        daemon.signal(SIGCONT)
    }

    /// The port that is missing may be there, and the app that does not answer may be well.
    func testCallsSayThatItIsTheDaemon() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let desk = try await Peer.start("Desk", on: daemon)
        try await desk.addReceiver("in")
        try await eventually("the receiver") { await !bus.graph.ports.isEmpty }
        _ = try await bus.levels(at: "Desk")
        let calls: [(String, @Sendable () async throws -> Void)] = [
            ("a connection", { try await bus.connect("Nobody", to: "Nothing", timeout: .milliseconds(300)) }),
            ("levels", { _ = try await bus.levels(at: "Desk") }),
        ]
        daemon.signal(SIGSTOP)
        defer { daemon.signal(SIGCONT) }
        for (name, call) in calls {
            await assertThrows(name) {
                try await call()
            } _: {
                XCTAssertEqual(($0 as? PipeBusError)?.code, .timedOut)
                let message = ($0 as? PipeBusError)?.message ?? ""
                XCTAssertTrue(message.hasPrefix("The PipeWire daemon does not answer"), message)
            }
        }
        daemon.signal(SIGCONT)
        await assertThrows("a connection") {
            try await calls[0].1()
        } _: {
            let message = ($0 as? PipeBusError)?.message ?? ""
            XCTAssertTrue(message.contains("Nobody"), message)
        }
        try await calls[1].1()
        try await desk.close()
        await bus.close()
    }
}
