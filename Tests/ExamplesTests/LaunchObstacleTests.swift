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
