// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A daemon whose socket another process holds open, as with socket activation.
final class HeldSocketTests: DaemonTestCase {
    func testADaemonThatIsKilledIsGoneAtOnce() async throws { try await end(with: SIGKILL, .chosen) }
    func testADaemonThatIsKilledIsGoneAtOnceWith14() async throws { try await end(with: SIGKILL, .newer()) }
    func testADaemonThatEndsInOrderIsGone() async throws { try await end(with: SIGTERM, .chosen) }
    func testADaemonThatEndsInOrderIsGoneWith14() async throws { try await end(with: SIGTERM, .newer()) }

    private func end(with signal: Int32, _ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        // A second name of the socket: a daemon that ends in order removes only its own.
        let remote = "\(daemon.directory)/held"
        XCTAssertEqual(unsafe link(daemon.remote, remote), 0)
        defer { unsafe unlink(remote) }
        let bus = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: remote)
        _ = try await bus.sender("out", state: ()) { _, _, _ in }
        var socket = HeldSocket(of: daemon)
        try XCTSkipIf(socket == nil, "takes the right to copy a descriptor of another process")
        daemon.signal(signal)
        try await eventually("the interruption") { bus.state != .running }
        XCTAssertEqual(bus.state.reason?.kind, .daemonGone)
        XCTAssertTrue(BusClient.isDaemonRunning(remote: remote), "somebody takes connections")
        socket = nil
        XCTAssertFalse(BusClient.isDaemonRunning(remote: remote))
        try await daemon.kill()
        try daemon.startAgain()
        try await daemon.waitUntilItListens()
        XCTAssertEqual(unsafe rename(daemon.remote, remote), 0)
        try await eventually("the next daemon") { bus.state == .running }
        await bus.close()
    }
}
