// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus show`, and apps that show each other.
final class ShowTests: LifeTestCase {
    private func assertFailure(
        _ arguments: [String], in session: DesktopSession, saying words: String, line: UInt = #line
    ) async throws {
        let process = try start("pipebus", ["show"] + arguments, at: session.environment)
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: words, line: line)
    }

    func testAnAppThatRuns() async throws {
        let session = try await session(at: startDaemon())
        let process = try startNormally("", in: session)
        try await eventually("ready", in: session)
        // It is not installed, and shows by its name, its id and its port.
        for name in ["Voice Synth", "voice synth", Self.id, "Voice Synth.out", "Voice Synth:out"] {
            try await run(["show", name], in: session)
        }
        try await run(["switch", "Voice Synth"], in: session)
        try await PipeBusTesting.eventually("six requests") {
            session.events(of: Self.id).filter { $0 == "show by PipeBus patchbay" }.count == 6
        }
        XCTAssertNil(process.ending)
    }

    /// By both ways it starts as from a menu.
    func testAnInstalledAppIsStarted() async throws {
        let session = try await session(at: startDaemon())
        try await install("", in: session)
        try await run(["show", "voice"], in: session)
        try await eventually("ready", in: session)
        XCTAssertEqual(session.events(of: Self.id).first, "started normally")
        try await session.endHosts(Self.id)
        try await install("", in: session, isDBusActivatable: true)
        try await run(["show", "Voice Synth"], in: session)
        try await eventually("ready", in: session)
        try await eventually("show by PipeBus patchbay", in: session)
        XCTAssertEqual(session.events(of: Self.id).first, "started by D-Bus")
    }

    /// A launcher that was itself launched for the bus passes nothing of that on.
    func testAMenuStartInheritsNoLaunch() async throws {
        let session = try await session(at: startDaemon())
        try await install("", in: session)
        let process = try start(
            "pipebus", ["show", "Voice Synth"], at: session.environment,
            adding: ["PIPEBUS_LAUNCHED_BY": "org.example.other Other", "PIPEBUS_LAUNCH_PORT": "out"])
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        try await eventually("ready", in: session)
        XCTAssertEqual(session.events(of: Self.id).first, "started normally")
    }

    func testBackToTheLauncher() async throws {
        let session = try await session(at: startDaemon())
        try await install("back", in: session)
        try await install("launch=\(Self.id)", id: Self.other, name: "Desk", in: session)
        try await run(["launch", "Desk"], in: session)
        try await eventually("wanted by Desk", in: session)
        try await run(["show", "Voice Synth"], in: session)
        try await eventually("show by Voice Synth", of: Self.other, in: session)
        // Never itself.
        try await eventually("An app does not raise itself; show your own window by your toolkit.", in: session)
        XCTAssertFalse(session.events(of: Self.id).contains("show by Voice Synth"))
    }

    func testAProgramThatFailsAtOnce() async throws {
        let session = try await session(at: startDaemon())
        try session.install(Self.id, name: "Voice Synth", mode: "exit", ports: ["out"])
        try await assertFailure(["Voice Synth"], in: session, saying: "was started and ended at once with status 3")
    }

    func testWhatGoesWrongIsOneSentence() async throws {
        let session = try await session(at: startDaemon())
        try await assertFailure(["nobody"], in: session, saying: "There is no app called \"nobody\"")
        // Not on the session bus.
        let deaf = try startNormally("deaf", in: session)
        try await eventually("ready", in: session)
        try await assertFailure(["Voice Synth"], in: session, saying: "Voice Synth is not on the session bus")
        deaf.signal(SIGTERM)
        try await deaf.waitForEnd()
        // It hangs.
        let hung = try startNormally("back", in: session)
        try await PipeBusTesting.eventually("the app") {
            session.events(of: Self.id).filter { $0 == "ready" }.count == 2
        }
        hung.signal(SIGSTOP)
        try await assertFailure(
            ["Voice Synth", "--timeout", "0.5"], in: session, saying: "Voice Synth did not answer within 500 ms")
        hung.signal(SIGCONT)
        // Nobody has launched it.
        try await eventually(
            "No app has launched this one, so there is none to go back to; name the app to show.", in: session)
        session.signalBus(SIGKILL)
        try await PipeBusTesting.eventually("the end of the bus") {
            let process = try self.start("pipebus", ["show", "Voice Synth"], at: session.environment)
            try await process.waitForEnd()
            return process.errors.text.contains("There is no session bus")
        }
        try await assertFailure(["Voice Synth"], in: session, saying: "bring its window to the front by hand")
    }
}
