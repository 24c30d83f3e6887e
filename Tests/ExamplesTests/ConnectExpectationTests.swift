// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

@testable import PipeBusCommand

/// Names that wait for a port, or that never can be right.
final class ConnectExpectationTests: ToolTestCase {
    func testNamesTheOtherWayRoundAreRefusedAtOnce() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote, as: "Giver")
        let taker = try await connectClient(to: daemon.remote, as: "Taker")
        _ = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        _ = try await taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        try await eventually("both ports") { await bus.graph.ports.count { $0.isPipeBus } == 2 }
        let process = try start(
            "pipebus", ["connect", "Taker", "Giver", "--timeout", "600"], at: daemon.environment())
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: "name them the other way round")

        let graph = await bus.graph
        func missing(_ source: String, _ destination: String) -> String? {
            ConnectExpectation(source, destination, in: graph).missing
        }
        XCTAssertNil(missing("Giver", "Taker"))
        XCTAssertEqual(missing("Giver", "Nobody"), "\"Nobody\"")
        XCTAssertEqual(missing("Taker", "Nobody"), "\"Taker\" (which only takes sound now) and \"Nobody\"")
        XCTAssertEqual(missing("Giver", "Giver"), "\"Giver\" (which only gives sound now)")
        // One of them may be about to come.
        for (source, destination) in [("Taker", "Nobody"), ("Nobody", "Giver"), ("Giver", "Giver")] {
            XCTAssertNoThrow(try ConnectExpectation(source, destination, in: graph).checkOrder())
        }
    }

    func testATimeoutOfZeroWaitsForNoPortAndStillConnects() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        let missing = try start(
            "pipebus", ["connect", source.nodeName, "Recorder", "--timeout", "0"], at: daemon.environment())
        try await assertOneSentence(missing, from: "pipebus", status: 1, saying: "no port or app called \"Recorder\"")
        let (port, _) = try await bus.keeper(channels: .stereo)
        let process = try start(
            "pipebus", ["connect", source.nodeName, port.nodeName, "--timeout", "0"], at: daemon.environment())
        let figures = try await figures(of: process)
        XCTAssertEqual(figures["links"], "2")
    }
}
