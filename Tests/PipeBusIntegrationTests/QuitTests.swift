// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// One app asks another to end.
final class QuitTests: SharingTestCase {
    func testAProcessEndsInOrder() async throws { try await endInOrder(.chosen) }
    func testAProcessEndsInOrderOn14() async throws { try await endInOrder(.newer()) }

    private func endInOrder(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let app = try await Peer.start("Tone", on: daemon)
        try await app.addSender("out", .counting)
        let bus = try await client("Patchbay", on: daemon)
        let peer = try await id(of: "Tone", seenBy: bus)
        try await bus.quit(peer)
        let there = await bus.graph.peer(peer)
        XCTAssertNil(there)
        let ending = try await app.process.waitForEnd()
        XCTAssertEqual(ending, .exited(0))
        XCTAssertTrue(app.process.output.text.contains("asked to by Patchbay"), app.process.output.text)
        await assertFailure(.unknownApp, saying: "not in the graph any more") { try await bus.quit(peer) }
    }

    func testAnAppDecides() async throws {
        let daemon = try await startDaemon()
        let (app, bus) = (try await client("Editor", on: daemon), try await client("Patchbay", on: daemon))
        let peer = try await id(of: "Editor", seenBy: bus)
        await assertFailure(.refused, saying: "Editor does not end: the app takes no requests to end.") {
            try await bus.quit(peer)
        }
        let askers = Mutex<[String]>([])
        await app.answerQuitRequests { request in
            askers.withLock { $0.append(request.peer?.name ?? "nobody") }
            return .refuse(because: "the song is not saved")
        }
        for _ in 0..<2 {
            await assertFailure(.refused, saying: "Editor does not end: the song is not saved.") {
                try await bus.quit(peer)
            }
        }
        XCTAssertEqual(askers.withLock { $0 }, ["Patchbay", "Patchbay"])
        // It says that it ends, and does not.
        await app.answerQuitRequests { _ in .quit }
        await assertFailure(.timedOut, saying: "wanted to end and has not done so") {
            try await bus.quit(peer, timeout: .milliseconds(300))
        }
        // It ends by itself.
        await app.answerQuitRequests { _ in
            Task { await app.close() }
            return .quit
        }
        try await bus.quit(peer)
    }

    func testTheReasonIsTold() async throws {
        let daemon = try await startDaemon()
        let (app, bus) = (try await client("Editor", on: daemon), try await client("Patchbay", on: daemon))
        let peer = try await id(of: "Editor", seenBy: bus)
        let waiting = Task { await app.runUntilSignal() }
        // Before the wait begins the app refuses.
        try await eventually("the end") {
            do {
                try await bus.quit(peer)
                return true
            } catch let error as PipeBusError where error.code == .refused {
                return false
            }
        }
        let ending = await waiting.value
        guard case .quitRequested(let request) = ending else { return XCTFail("\(ending)") }
        XCTAssertEqual(request.peer?.name, "Patchbay")
        XCTAssertEqual(ending.description, "The app was asked to end by Patchbay.")
        XCTAssertEqual(ending.exitStatus, 0)
    }

    func testAnAppThatHangsAndAForeignOne() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let app = try await Peer.start("Tone", on: daemon)
        try await app.addSender("out", .counting)
        let bus = try await client("Patchbay", on: daemon)
        let peer = try await id(of: "Tone", seenBy: bus)
        app.process.signal(SIGSTOP)
        try await eventuallyStopped(app.process.pid)
        await assertFailure(.timedOut, saying: "does not answer") {
            try await bus.quit(peer, timeout: .milliseconds(300))
        }
        // It takes the request when it goes on.
        app.process.signal(SIGCONT)
        try await eventually("its end") { await bus.graph.peer(peer) == nil }
        let foreign = try daemon.run("pw-jack", ["jack_midisine"])
        try await eventually("the player") { await bus.graph.ports.contains { $0.nodeName == "midisine" } }
        let ports = await bus.graph.ports
        let player = try XCTUnwrap(ports.first { $0.nodeName == "midisine" }?.peer)
        await assertFailure(.notSupported, saying: " is no PipeBus app") { try await bus.quit(player) }
        foreign.signal(SIGTERM)
        try await foreign.waitForEnd()
    }
}
