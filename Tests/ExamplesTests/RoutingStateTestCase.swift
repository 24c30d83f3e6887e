// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The base of tests of the states of apps in routings: a session with apps in processes of their own.
class RoutingStateTestCase: ToolTestCase {
    static let id = "org.example.synth"

    func session(at daemon: HeadlessPipeWire, _ ids: [String] = [id]) async throws -> DesktopSession {
        let session = try await DesktopSession.start(in: folder, daemon: daemon.environment())
        addTeardownBlock { try await session.close(ids) }
        return session
    }

    func pipebus(_ arguments: [String], in session: DesktopSession) async throws -> ChildProcess {
        let process = try start("pipebus", arguments, at: session.environment)
        try await process.waitForEnd(within: .seconds(60))
        return process
    }

    /// A receiver, and an app of a mode that is connected to it.
    func scene(mode: String = "well", size: Int? = nil) async throws -> (
        session: DesktopSession, bus: BusClient, daemon: HeadlessPipeWire
    ) {
        let daemon = try await startDaemon()
        let session = try await session(at: daemon)
        try session.install(Self.id, name: "Voice Synth", mode: mode, ports: ["out"])
        try session.setStateSize(size, of: Self.id)
        let bus = try await connectClient(to: daemon.remote)
        _ = try await bus.receiver("in", lanes: 16, state: ()) { _, _, _ in }
        let connect = try await pipebus(["connect", "Voice Synth", "Test"], in: session)
        XCTAssertEqual(connect.ending, .exited(0), connect.errors.text)
        guard mode != "silent" else { return (session, bus, daemon) }
        try await eventually("the service") { session.events(of: Self.id).contains("service true") }
        return (session, bus, daemon)
    }

    /// Saves a routing, and adds states of the app to it.
    ///
    /// - Parameter states: the data of each, as Base64.
    /// - Returns: the path of the file.
    func routing(with states: [String], in session: DesktopSession) async throws -> String {
        let save = try await pipebus(["save", "\(folder)/plain.json"], in: session)
        XCTAssertEqual(save.ending, .exited(0), save.errors.text)
        let text = try String(contentsOfFile: "\(folder)/plain.json", encoding: .utf8)
        let list = states.map { "{\"app\": \"\(Self.id)\", \"type\": \"t\", \"version\": 1, \"data\": \"\($0)\"}" }
        let path = "\(folder)/with.json"
        try text.replacing(
            "\"connections\"", with: "\"states\": [\(list.joined(separator: ","))], \"connections\"", maxReplacements: 1
        ).write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// The states that the app has got.
    func loads(of id: String = id, in session: DesktopSession) -> [String] {
        session.events(of: id).filter { $0.hasPrefix("load") }
    }
}
