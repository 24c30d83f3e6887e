// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// An app that is stopped, by SIGSTOP, and goes on: its sound comes back by itself, and it hears of it once.
///
/// `PIPEBUS_LONG=1` adds stops of twenty seconds.
final class StoppedAppTests: DaemonTestCase {
    func testAStoppedSource() async throws { try await stopSource(for: 2, .chosen) }
    func testAStoppedSourceOn14() async throws { try await stopSource(for: 2, .newer()) }
    func testAStoppedReceiver() async throws { try await stopReceiver(for: 2, .chosen) }
    func testAStoppedReceiverOn14() async throws { try await stopReceiver(for: 2, .newer()) }

    func testStopsOfTwentySeconds() async throws {
        let isWanted = unsafe getenv("PIPEBUS_LONG") != nil
        try XCTSkipUnless(isWanted, "Takes 80 seconds; set PIPEBUS_LONG=1 to run it.")
        for installation in PipeWireInstallation.all {
            try await stopSource(for: 20, installation)
            try await stopReceiver(for: 20, installation)
        }
    }

    private func stopSource(for seconds: Double, _ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
        let scene = try await HangScene.start(on: daemon)
        try await scene.runCycles(20)
        try await stop(scene.other, for: seconds)
        let answered = ContinuousClock.now
        try await scene.waitUntilHeard()
        let back = answered.duration(to: .now)
        try await scene.waitUntil(isStalled: false)
        try await assertToldOnce(scene.other, seconds)
        XCTAssertEqual(scene.notices.all.count { $0.kind == .sourceStalled }, 1)
        let states = try await scene.steady.states()
        XCTAssertEqual(states.map(\.kind), [nil], "\(states)")
        XCTAssertEqual(scene.bus.state, .running)
        scene.assertSteady()
        print("stopped source (\(seconds) s, \(name(installation))): sound back after \(back)")
        try await scene.close()
    }

    private func stopReceiver(for seconds: Double, _ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(quantum: 1024), installation: installation)
        let source = try await Peer.start("Source", on: daemon, client: installation)
        try await source.addSender("out", .counting, by: .position)
        let receiver = try await Peer.start("Receiver", on: daemon, client: installation)
        try await receiver.addReceiver("in", expecting: .counting, by: .position)
        try await receiver.join("Source", to: "Receiver")
        func heard() async throws -> UInt64 { try await receiver.report("in").counts.correct }
        try await eventually("sound") { try await heard() > 0 }
        try await stop(receiver, for: seconds)
        let answered = ContinuousClock.now
        let before = try await heard()
        try await eventually("sound again", within: .seconds(20)) { try await heard() > before + 2048 }
        let back = answered.duration(to: .now)
        try await assertToldOnce(receiver, seconds)
        // Nobody was held up by it.
        let states = try await source.states()
        XCTAssertEqual(states.map(\.kind), [nil], "\(states)")
        let notices = try await source.notices() + receiver.notices()
        XCTAssertEqual(notices, [])
        print("stopped receiver (\(seconds) s, \(name(installation))): sound back after \(back)")
        try await source.close()
        try await receiver.close()
    }

    private func name(_ installation: PipeWireInstallation) -> String { installation.root == nil ? "0.3.65" : "1.4" }

    private func stop(_ peer: Peer, for seconds: Double) async throws {
        kill(peer.process.pid, SIGSTOP)
        try await eventuallyStopped(peer.process.pid)
        let start = ContinuousClock.now
        try await eventually("some time to pass", within: .seconds(60)) { start.duration(to: .now) > .seconds(seconds) }
        kill(peer.process.pid, SIGCONT)
    }

    /// The app was interrupted once, by a stop of that length, and runs.
    private func assertToldOnce(
        _ peer: Peer, _ seconds: Double, file: StaticString = #filePath, line: UInt = #line
    ) async throws {
        try await eventually("the app to know") { try await peer.states().count >= 3 }
        let states = try await peer.states()
        XCTAssertEqual(states.map(\.kind), [nil, "suspended", nil], file: file, line: line)
        let message = states.compactMap(\.message).first ?? ""
        XCTAssertTrue(message.contains("did not run for "), message, file: file, line: line)
        // Up to half a second of the stop passed before the poll was due.
        let words = message.split(separator: " ").compactMap { Double($0) }
        XCTAssertEqual(words.first ?? 0, seconds, accuracy: 0.8, message, file: file, line: line)
    }
}
