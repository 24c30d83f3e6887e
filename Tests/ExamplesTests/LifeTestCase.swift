// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The base of tests with installed `life-host`s on a session bus of their own.
class LifeTestCase: ToolTestCase {
    static let id = "org.example.synth"
    static let other = "org.example.desk"

    func session(at daemon: HeadlessPipeWire, adding more: [String: String] = [:]) async throws -> DesktopSession {
        let session = try await DesktopSession.start(in: folder, daemon: daemon.environment().merging(more) { $1 })
        addTeardownBlock { try await session.close([Self.id, Self.other]) }
        return session
    }

    /// Installs the app "Voice Synth" with a port "out".
    func install(
        _ modes: String, id: String = id, name: String = "Voice Synth", in session: DesktopSession,
        isDBusActivatable: Bool = false
    ) async throws {
        try session.install(
            id, name: name, mode: modes, program: "life-host", ports: ["out"], isDBusActivatable: isDBusActivatable)
        guard isDBusActivatable else { return }
        // Until the bus has read its service files again.
        let reload = try ChildProcess(
            "gdbus",
            [
                "call", "--session", "-d", "org.freedesktop.DBus", "-o", "/org/freedesktop/DBus", "-m",
                "org.freedesktop.DBus.ReloadConfig",
            ],
            environment: session.environment)
        try await reload.waitForEnd()
    }

    /// Runs `pipebus` with arguments, which must succeed.
    func run(_ arguments: [String], in session: DesktopSession, line: UInt = #line) async throws {
        let process = try start("pipebus", arguments, at: session.environment)
        let ending = try await process.waitForEnd(within: .seconds(70))
        XCTAssertEqual(ending, .exited(0), process.errors.text, line: line)
    }

    /// Starts the app as a shell does.
    func startNormally(_ modes: String, in session: DesktopSession) throws -> ChildProcess {
        try start(
            "life-host", [Self.id, "Voice Synth", "\(folder)/\(Self.id).log", modes, "out"], at: session.environment)
    }

    /// Waits until an event has come, or has come so many times.
    func eventually(
        _ event: String, times: Int = 1, of id: String = id, within limit: Duration = .seconds(20),
        in session: DesktopSession
    ) async throws {
        try await PipeBusTesting.eventually("\"\(event)\" among \(session.events(of: id))", within: limit) {
            session.events(of: id).filter { $0 == event }.count >= times
        }
    }

    func outlet(_ name: String = "Voice Synth.out", seenBy bus: BusClient) async throws -> GraphPort {
        try await eventualResult("\(name) in the graph") { await bus.graph.ports.first { $0.nodeName == name } }
    }

    /// Presses a trigger of an app.
    func press(_ trigger: String, of name: String = "Voice Synth", seenBy bus: BusClient) async throws {
        try await PipeBusTesting.eventually("the trigger \(trigger)") {
            guard let peer = await bus.graph.peers.first(where: { $0.name == name }) else { return false }
            for found in try await bus.triggers(of: peer.id) where found.id == trigger {
                try await bus.press(found.id, of: peer.id)
                return true
            }
            return false
        }
    }
}
