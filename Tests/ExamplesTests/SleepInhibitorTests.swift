// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// An app that keeps the system awake while it sounds, with stand-ins for logind and the portals on buses of their own.
final class SleepInhibitorTests: LifeTestCase {
    private struct Scene {
        let bus: BusClient
        let input: ReceiverPort
        let session: DesktopSession
        let desktop: ChildProcess?
    }

    /// - Parameter parts: those that `desktop-host` plays.
    private func scene(_ parts: [String]) async throws -> Scene {
        let daemon = try await startDaemon()
        let system = try await PrivateSystemBus.start()
        addTeardownBlock { try await system.close() }
        let session = try await session(at: daemon, adding: ["DBUS_SYSTEM_BUS_ADDRESS": system.address])
        var desktop: ChildProcess?
        if !parts.isEmpty {
            let process = try start("desktop-host", parts, at: session.environment)
            try await PipeBusTesting.eventually("the names") {
                if process.ending != nil { throw process.failure("did not start") }
                return process.output.lines.filter { $0.hasPrefix("ready") }.count == parts.count
            }
            desktop = process
        }
        let bus = try await connectClient(to: daemon.remote)
        let input = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        return Scene(bus: bus, input: input, session: session, desktop: desktop)
    }

    private func asked(_ line: String, _ scene: Scene) async throws {
        try await PipeBusTesting.eventually("\"\(line)\" among \(scene.desktop!.output.lines)", within: .seconds(20)) {
            scene.desktop!.output.lines.contains(line)
        }
    }

    private func requests(_ scene: Scene) -> [String] {
        scene.desktop!.output.lines.filter { !$0.hasPrefix("ready") }
    }

    func testOnlyWhileSoundFlows() async throws {
        let scene = try await scene(["logind", "portal"])
        let app = try startNormally("inhibit", in: scene.session)
        try await eventually("ready", in: scene.session)
        let port = try await outlet(seenBy: scene.bus)
        for round in 1...2 {
            try await scene.bus.connect(port, to: scene.input)
            try await PipeBusTesting.eventually("the request", within: .seconds(20)) {
                self.requests(scene).filter { $0 == "inhibit sleep, Voice Synth, It plays, block" }.count == round
            }
            try await eventually("inhibition The system does not sleep (logind).", in: scene.session)
            XCTAssertEqual(requests(scene).filter { $0 == "released" }.count, round - 1)
            try await scene.bus.disconnect(port, from: scene.input)
            try await PipeBusTesting.eventually("the release", within: .seconds(20)) {
                self.requests(scene).filter { $0 == "released" }.count == round
            }
            try await eventually("inhibition The system may sleep.", in: scene.session)
        }
        // Its end releases it, however it comes.
        try await scene.bus.connect(port, to: scene.input)
        try await PipeBusTesting.eventually("the request", within: .seconds(20)) { self.requests(scene).count == 5 }
        app.signal(SIGKILL)
        try await PipeBusTesting.eventually("the release", within: .seconds(20)) {
            self.requests(scene).filter { $0 == "released" }.count == 3
        }
        XCTAssertFalse(requests(scene).contains { $0.hasPrefix("portal") })
    }

    func testAnAppThatDoesNotAsk() async throws {
        let scene = try await scene(["logind", "portal"])
        _ = try startNormally("life", in: scene.session)
        try await eventually("ready", in: scene.session)
        let port = try await outlet(seenBy: scene.bus)
        try await scene.bus.connect(port, to: scene.input)
        // Another one that asks has its inhibition: there was time for this one's.
        _ = try start(
            "life-host", [Self.other, "Desk", "\(folder)/\(Self.other).log", "inhibit", "out"],
            at: scene.session.environment)
        let other = try await outlet("Desk.out", seenBy: scene.bus)
        try await scene.bus.connect(other, to: scene.input)
        try await asked("inhibit sleep, Desk, It plays, block", scene)
        XCTAssertEqual(requests(scene).count, 1)
    }

    /// As in a sandbox: there is no logind, or it refuses, or does not answer.
    func testThePortalInstead() async throws {
        for parts in [["portal"], ["logind-hangs", "portal"]] {
            let scene = try await scene(parts)
            _ = try startNormally("inhibit", in: scene.session)
            try await eventually("ready", in: scene.session)
            let port = try await outlet(seenBy: scene.bus)
            try await scene.bus.connect(port, to: scene.input)
            try await asked("portal inhibit 4, It plays", scene)
            try await eventually("inhibition The system does not sleep (portal).", in: scene.session)
            try await scene.bus.disconnect(port, from: scene.input)
            try await asked("portal released", scene)
            try await scene.session.close([Self.id, Self.other])
        }
    }

    func testNobodyKeepsItAwake() async throws {
        for parts in [[], ["logind-refuses"]] {
            let scene = try await scene(parts)
            _ = try startNormally("inhibit", in: scene.session)
            try await eventually("ready", in: scene.session)
            let port = try await outlet(seenBy: scene.bus)
            try await scene.bus.connect(port, to: scene.input)
            let begin = "inhibition Nothing keeps the system from sleeping: neither logind ("
            try await PipeBusTesting.eventually("the sentence", within: .seconds(20)) {
                scene.session.events(of: Self.id).contains { $0.hasPrefix(begin) && $0.hasSuffix(").") }
            }
            if !parts.isEmpty {
                XCTAssertTrue(
                    scene.session.events(of: Self.id).contains { $0.contains("logind (Permission denied)") },
                    "\(scene.session.events(of: Self.id))")
            }
            try await scene.session.close([Self.id, Self.other])
        }
    }

    func testTheBackgroundStatus() async throws {
        let scene = try await scene(["portal"])
        _ = try startNormally("status=Playing", in: scene.session)
        try await eventually("status set", in: scene.session)
        try await asked("status Playing", scene)
    }

    func testNoBackgroundStatus() async throws {
        let refused = try await scene(["portal-refuses"])
        _ = try startNormally("status=Playing", in: refused.session)
        try await eventually(
            "The desktop does not show what this app does in the background (Only sandboxed applications can set background status); everything else works without.",
            in: refused.session)
        try await eventually("ready", in: refused.session)
        try await refused.session.close([Self.id, Self.other])
        let none = try await scene([])
        _ = try startNormally("status=Playing", in: none.session)
        try await eventually(
            "The desktop has no portal that shows what apps do in the background (nobody has the name); everything else works without.",
            in: none.session)
        try await eventually("ready", in: none.session)
    }
}
