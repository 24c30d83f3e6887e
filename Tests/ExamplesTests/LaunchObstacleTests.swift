// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Apps that are launched where something is in the way.
final class LaunchObstacleTests: LaunchTestCase {
    func testWhatIsInItsWay() async throws {
        let session = try await session(at: startDaemon())
        // The entry's file is named by another id than the app's own.
        try session.install(Self.id, name: "Voice Synth", ports: ["out"])
        let entries = "\(folder)/packages/applications"
        try FileManager.default.moveItem(
            atPath: "\(entries)/\(Self.id).desktop", toPath: "\(entries)/org.example.wrong.desktop")
        try await assertFailure(
            ["Voice Synth", "--timeout", "2"], in: session,
            saying:
                "runs under the id \"\(Self.id)\", and its entry is named org.example.wrong.desktop; name the file"
        )
        try await session.endHosts(Self.id)
        try FileManager.default.removeItem(atPath: "\(entries)/org.example.wrong.desktop")
        // Somebody starts it, and is not done in time.
        try session.install(Self.id, name: "Voice Synth", ports: ["out"])
        let path = "\(folder)/run/pipebus-launch-\(Self.id).lock"
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        XCTAssertEqual(flock(file, LOCK_EX), 0)
        try await assertFailure(
            ["Voice Synth", "--timeout", "0.3"], in: session, saying: "did not come within 300 ms; it has no port")
        close(file)
        // The lock is a link to elsewhere.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(folder)/elsewhere")
        try await assertFailure(["Voice Synth"], in: session, saying: "run cannot be opened: Too many levels")
        XCTAssertEqual(session.processes(of: Self.id), [])
    }

    /// Between the launcher and the app, and not replaced by the app.
    func testAScriptStartsTheApp() async throws {
        let session = try await session(at: startDaemon())
        try session.install(Self.id, name: "Voice Synth", ports: ["out", "second"])
        let entry = try String(
            contentsOfFile: "\(folder)/packages/applications/\(Self.id).desktop", encoding: .utf8)
        let exec = try XCTUnwrap(entry.split(separator: "\n").first { $0.hasPrefix("Exec=") }).dropFirst(5)
        try "#!/bin/sh\n\(exec)\ntrue\n".write(toFile: "\(folder)/start.sh", atomically: true, encoding: .utf8)
        XCTAssertEqual(unsafe chmod("\(folder)/start.sh", 0o755), 0)
        try session.replaceExec(of: Self.id, by: "\(folder)/start.sh")
        try await assertLaunched(["Voice Synth:second"], in: session)
        XCTAssertEqual(
            session.events(of: Self.id).first, "started for second by org.pipebus.patchbay token -")
        try await eventually("the request") {
            session.events(of: Self.id).contains("wanted second by PipeBus patchbay (org.pipebus.patchbay)")
        }
    }

    /// An app that hangs before it is on the bus is not started once more, whether its launcher has given up or was killed.
    func testAnAppThatHangsIsStartedOnce() async throws {
        let session = try await session(at: startDaemon())
        try session.install(Self.id, name: "Voice Synth", mode: "hang", ports: ["out"])
        let killed = try launch(["Voice Synth", "--timeout", "60"], in: session)
        try await eventually("the app") { !session.processes(of: Self.id).isEmpty }
        let process = try XCTUnwrap(session.processes(of: Self.id).first)
        try await assertFailure(
            ["Voice Synth", "--timeout", "0.3"], in: session,
            saying: "it has no port, and runs as process \(process): end that")
        killed.signal(SIGKILL)
        try await killed.waitForEnd()
        for _ in 0..<2 {
            try await assertFailure(
                ["Voice Synth", "--timeout", "0.3"], in: session,
                saying: "it has no port, and runs as process \(process)")
        }
        XCTAssertEqual(session.processes(of: Self.id), [process])
        // For another daemon it is.
        let other = try await startDaemon()
        try await assertFailure(
            ["Voice Synth", "--timeout", "0.3", "--remote", other.remote], in: session,
            saying: "it has no port, and runs")
        try await eventually("a second process") { session.processes(of: Self.id).count == 2 }
        // Once it has ended, it is started again.
        try await session.endHosts(Self.id)
        try session.install(Self.id, name: "Voice Synth", ports: ["out"])
        try await assertLaunched(["Voice Synth"], in: session)
    }

    /// An app whose port has not come yet is ended, and not left behind, by control-C at a launcher.
    func testALauncherTakesBackWhatItHasStarted() async throws {
        let daemon = try await startDaemon()
        let session = try await session(at: daemon)
        let bus = try await connectClient(to: daemon.remote)
        _ = try await bus.receiver("in", state: ()) { _, _, _ in }
        try """
        {"format": "pipebus-routing", "version": 1, "connections": [
        {"from": {"app": "\(Self.id)"}, "to": {"app": "Nobody"}}]}
        """.write(toFile: "\(folder)/song.json", atomically: true, encoding: .utf8)
        for command in [
            ["launch", "Voice Synth"], ["run", "\(folder)/song.json"], ["connect", "Voice Synth", "Test"],
        ] {
            try session.install(Self.id, name: "Voice Synth", mode: "hang", ports: ["out"])
            let launcher = try start("pipebus", command, at: session.environment)
            try await eventually("the app of \(command[0])") { !session.processes(of: Self.id).isEmpty }
            launcher.signal(SIGINT)
            try await launcher.waitForEnd()
            let process = try XCTUnwrap(session.processes(of: Self.id).first)
            try await eventually("its end") { kill(process, 0) != 0 }
            try await session.endHosts(Self.id)
        }
    }

    /// A port that is there needs no lock.
    func testAnotherLauncherWaitsForAnotherPort() async throws {
        let session = try await session(at: startDaemon())
        try session.install(Self.id, name: "Voice Synth", ports: ["out", "second"])
        try await assertLaunched(["Voice Synth"], in: session)
        let file = unsafe open(
            "\(folder)/run/pipebus-launch-\(Self.id).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        XCTAssertEqual(flock(file, LOCK_EX), 0)
        try await assertLaunched(["Voice Synth:second", "--timeout", "2"], in: session)
    }

    func testAProgramThatEndsAtOnceWithoutAReason() async throws {
        let session = try await session(at: startDaemon())
        try session.install(Self.id, name: "Voice Synth", ports: ["out"])
        try session.replaceExec(of: Self.id, by: "/bin/true")
        try await assertFailure(
            ["Voice Synth", "--timeout", "0.5"], in: session, saying: "was started and ended at once with status 0")
    }

    /// The bus starts the app in its own environment, where another daemon is the standard one.
    func testOverDBusAtAnotherDaemon() async throws {
        let session = try await session(at: startDaemon())
        let other = try await startDaemon()
        try session.install(Self.id, name: "Voice Synth", ports: ["out"], isDBusActivatable: true)
        let named = try launch(["Voice Synth", "--remote", other.remote], in: session)
        let ending = try await named.waitForEnd()
        XCTAssertEqual(ending, .exited(0), named.errors.text)
        XCTAssertEqual(session.events(of: Self.id).first, "started by D-Bus")
        try await session.endHosts(Self.id)
        // By the environment of the tool, and to be shown.
        let environment = session.environment.merging(["PIPEWIRE_REMOTE": other.remote]) { $1 }
        let process = try start("pipebus", ["launch", "Voice Synth"], at: environment)
        let second = try await process.waitForEnd()
        XCTAssertEqual(second, .exited(0), process.errors.text)
        try await eventually("the request") {
            session.events(of: Self.id).contains { $0.hasPrefix("wanted") }
        }
        try await session.endHosts(Self.id)
        let show = try start("pipebus", ["show", Self.id, "--remote", other.remote], at: session.environment)
        let shown = try await show.waitForEnd()
        XCTAssertEqual(shown, .exited(0), show.errors.text)
        let bus = try await connectClient(to: other.remote)
        try await eventually("the app") { await bus.graph.peers.contains { $0.name == "Voice Synth" } }
        try await eventually("the window") { session.events(of: Self.id).contains { $0.hasPrefix("show") } }
    }
}
