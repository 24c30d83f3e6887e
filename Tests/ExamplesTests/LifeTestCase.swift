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

    func receiver(of bus: BusClient) async throws -> ReceiverPort {
        try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
    }

    /// Launches the app, and connects it.
    func launchConnected(
        in session: DesktopSession, seenBy bus: BusClient, to input: ReceiverPort
    ) async throws -> GraphPort {
        try await run(["launch", "Voice Synth"], in: session)
        let port = try await outlet(seenBy: bus)
        try await bus.connect(port, to: input)
        try await eventually("connected", in: session)
        return port
    }

    /// Disconnects the port, and waits until its app is muted.
    ///
    /// The app writes "connected" when one reader of its graph has seen that. The one that decides about its life may be later, and then it
    /// has not seen a connection that short. So it is made again.
    func disconnect(
        _ port: GraphPort, from input: ReceiverPort, of bus: BusClient, muted times: Int = 1, id: String = id,
        in session: DesktopSession
    ) async throws {
        for _ in 1...5 {
            try await bus.disconnect(port, from: input)
            if (try? await eventually("muted", times: times, of: id, within: .seconds(4), in: session)) != nil {
                return
            }
            let connections = session.events(of: id).filter { $0 == "connected" }.count
            try await bus.connect(port, to: input)
            try await eventually("connected", times: connections + 1, of: id, in: session)
        }
        try await bus.disconnect(port, from: input)
        try await eventually("muted", times: times, of: id, in: session)
    }

    func goneFromGraph(seenBy bus: BusClient) async throws {
        try await PipeBusTesting.eventually("the end") {
            !(await bus.graph.peers.contains { $0.name == "Voice Synth" })
        }
    }
}
