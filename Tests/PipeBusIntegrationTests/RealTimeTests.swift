// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// In real time frames may be lost (xruns), but never silently: every wrong or missing frame lies in a gap that
/// `AudioCycle` reports.
final class RealTimeTests: DaemonTestCase {
    func testAMinuteAt1024() async throws {
        let chain = try await Chain.start(on: try await startDaemon(.init(quantum: 1024)))
        try await chain.run(for: 60 * 48_000, within: .seconds(80))
        let report = try await chain.check()
        XCTAssertGreaterThanOrEqual(report.correct, 30 * 48_000)
    }

    func testStoppedProcessesAreReportedAsGaps() async throws {
        let chain = try await Chain.start(on: try await startDaemon(.init(quantum: 256)))
        for peer in chain.peers + chain.peers {
            try await chain.run(for: 9_600, within: .seconds(20))
            try await peer.process.suspend(for: .milliseconds(100))
        }
        try await chain.run(for: 9_600, within: .seconds(20))
        let report = try await chain.check()
        // Not in vain: each of the six stops took 100 ms.
        XCTAssertGreaterThan(report.missedFrames, 6 * 2_400)
    }

    /// Whether every frame of a freewheeling graph is right is tried with PipeWire 1.4 only: see
    /// `HeadlessPipeWire.Driver`.
    func testAFreewheelingGraphSaysSo() async throws {
        let daemon = try await startDaemon(.init(quantum: 8192, driver: .freewheel))
        let receiver = try await Peer.start("Receiver", on: daemon, client: .chosen)
        let sender = try await Peer.start("Sender", on: daemon, client: .chosen)
        try await receiver.addReceiver("in")
        try await sender.addSender("out", .counting)
        try await receiver.join("Sender", to: "Receiver")
        // Few: with 0.3.65 each cycle that a client does not finish in time costs a second, and on a busy machine most do.
        let frames = 8 * 8192
        try await eventually("some frames", within: .seconds(50)) {
            try await receiver.report("in").frames >= frames
        }
        let report = try await receiver.report("in")
        XCTAssertTrue(report.wasFreewheeling)
        for peer in [receiver, sender] { try await peer.close() }
    }
}
