// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The memory of a link stays where it is until no cycle reads it, however late the two threads of a program are.
///
/// libpipewire up to 0.3.79 takes it away while a cycle may have it: a busy recorder died of that.
final class EndingLinkTests: DaemonTestCase {
    func testALinkThatEndsIsReadToTheEndOfTheCycle() async throws {
        try await endLinks(.chosen)
    }

    func testWithADaemonOf14() async throws {
        try await endLinks(.newer())
    }

    /// The app made another node before this one and destroyed it. Its proxy was still there, and was taken for this node's:
    /// nobody waited for the cycle, and the end of that proxy left a listener in freed memory.
    func testOfANodeThatComesAfterAnother() async throws {
        try await endLinks(.chosen, arguments: ["after"])
    }

    /// The source's link ends late, and carries sound while the node's control thread is between the two steps in which
    /// libpipewire takes the link away. The block reads what it got for three quarters of each cycle.
    private func endLinks(_ installation: PipeWireInstallation, arguments: [String] = []) async throws {
        let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
        let environment = daemon.environment()
        let node = try ChildProcess(
            Programs.path(of: "lag-host"), ["Node", "15", "10"] + arguments, environment: environment,
            endMethod: .endOfInput)
        try await node.nextLine { $0 == "ready" }
        let source = try await ClockSender.start("Source", lag: 80, in: environment)
        // Both go on after a link between them has ended: the source has another one, and so has the node.
        let other = try await ClockSender.start("Silent", in: environment)
        try await other.setSilent(true)
        let listener = try ChildProcess(
            Programs.path(of: "lag-host"), ["Listener", "0", "0"], environment: environment, endMethod: .endOfInput)
        try await listener.nextLine { $0 == "ready" }
        try await daemon.perform("pw-link", "Source:out_FL", "Listener:in")
        try await daemon.perform("pw-link", "Silent:out_FL", "Node:other")
        for _ in 0..<6 {
            try await daemon.perform("pw-link", "Source:out_FL", "Node:in")
            // From the second link on libpipewire no longer knows when a port loses its last one.
            try await daemon.perform("pw-link", "Silent:out_FR", "Node:in")
            let before = try await cycles(of: node)
            try await eventually("the node to run") { try await self.cycles(of: node) > before + 4 }
            try await daemon.perform("pw-link", "-d", "Silent:out_FR", "Node:in")
            try await daemon.perform("pw-link", "-d", "Source:out_FL", "Node:in")
        }
        _ = try await cycles(of: node)
        _ = try await source.missedFrames
    }

    /// The cycles with sound so far. Fails if the process has ended.
    private func cycles(of node: ChildProcess) async throws -> Int {
        node.send("cycles")
        let line = try await node.nextLine { $0.hasPrefix("cycles ") }
        return try XCTUnwrap(Int(line.dropFirst("cycles ".count)))
    }
}
