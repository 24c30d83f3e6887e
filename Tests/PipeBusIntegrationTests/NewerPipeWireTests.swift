// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// The same tests, shorter, with PipeWire 1.4: daemon and clients of 1.4, and each of them with an older one.
final class NewerPipeWireTests: DaemonTestCase {
    private let steps = Steps(
        list: [(16, 2_000), (1000, 100), (1024, 300), (8192, 10)] + Steps.random(cycles: 100, seed: 4).list)

    func testAllOfIt() async throws {
        try await transfer(.all(try PipeWireInstallation.newer()))
    }

    func testANewDaemonWithAnOldSender() async throws {
        let newer = try PipeWireInstallation.newer()
        try await transfer(Installations(daemon: newer, sender: .system, receiver: newer))
    }

    func testANewDaemonWithOldClients() async throws {
        try await transfer(Installations(daemon: try PipeWireInstallation.newer(), sender: .system, receiver: .system))
    }

    func testAnOldDaemonWithANewSender() async throws {
        try await transfer(Installations(daemon: .system, sender: try PipeWireInstallation.newer(), receiver: .system))
    }

    /// PipeWire's own: a client from 0.3.72 on gets no sound into its inputs from a daemon older than that.
    func testAnOldDaemonCannotServeTheInputsOfNewClients() async throws {
        let newer = try PipeWireInstallation.newer()
        let daemon = try await startDaemon(installation: .system)
        let peer = try await Peer.start("Peer", on: daemon, client: newer)
        let version = try await daemon.version()
        try XCTSkipUnless(version < LibraryVersion(0, 3, 72), "The system's PipeWire is new enough.")
        for attempt in [{ try await peer.addReceiver("in") }, { try await peer.addFilter("fx") }] {
            await assertThrows("a port that would hear nothing", attempt) { error in
                XCTAssertEqual((error as? Peer.Failure)?.code, "incompatible", "\(error)")
            }
        }
        try await peer.addSender("out", .counting)
        try await peer.close()
    }

    func testANewDaemonReportsLatenciesToOldClients() async throws {
        try await ClickScene.run(.synchronized, installation: try PipeWireInstallation.newer()).assertAligned()
    }

    /// A new daemon sends nothing about a latency when its link is removed.
    func testANewDaemonKeepsQuietAboutALatencyThatEnds() async throws {
        try await UpstreamLatency.check(installation: try PipeWireInstallation.newer())
    }

    func testInRealTime() async throws {
        let newer = try PipeWireInstallation.newer()
        let chain = try await Chain.start(on: try await startDaemon(installation: newer), client: newer)
        try await chain.run(for: 2 * 48_000, within: .seconds(20))
        let report = try await chain.check()
        XCTAssertGreaterThan(report.correct, 48_000)
    }

    func testFreewheeling() async throws {
        let newer = try PipeWireInstallation.newer()
        let daemon = try await startDaemon(.init(quantum: 8192, driver: .freewheel), installation: newer)
        let start = ContinuousClock.now
        let chain = try await Chain.start(on: daemon, client: newer)
        try await chain.run(for: 60 * 48_000, within: .seconds(60))
        let report = try await chain.check()
        print("freewheeling: \(report.frames) frames in \(ContinuousClock.now - start)")
        XCTAssertTrue(report.wasFreewheeling)
        XCTAssertGreaterThan(report.correct, 30 * 48_000)
    }

    private func transfer(
        _ installations: Installations, file: StaticString = #filePath, line: UInt = #line
    ) async throws {
        let transfer = try await ExactTransfer.start(installations, widths: [1, 2, 8])
        try await transfer.run(steps, "\(installations)", file: file, line: line)
    }
}
