// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Apps that were launched for the bus end when nothing uses them, and only then. Each is a process of its own.
final class LifeTests: LifeTestCase {
    private static let ended = "ended The app was launched for the bus, and nothing uses it any more."

    func testAZombieEnds() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        for isDBusActivatable in [false, true] {
            let session = try await session(at: daemon)
            try await install("life", in: session, isDBusActivatable: isDBusActivatable)
            let input = try await receiver(of: bus)
            let port = try await launchConnected(in: session, seenBy: bus, to: input)
            let start = ContinuousClock.now
            try await disconnect(port, from: input, of: bus, in: session)
            try await eventually(Self.ended, in: session)
            XCTAssertGreaterThanOrEqual(start.duration(to: .now), .seconds(1))
            XCTAssertEqual(
                session.events(of: Self.id).filter { $0 == "muted" || $0 == "unmuted" || $0 == "asked" },
                ["muted", "asked"])
            try await goneFromGraph(seenBy: bus)
            await input.close()
            try await session.close([Self.id, Self.other])
        }
    }

    func testItsOwnClosureEndsIt() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let session = try await session(at: daemon)
        try await install("life,closure", in: session)
        let input = try await receiver(of: bus)
        let port = try await launchConnected(in: session, seenBy: bus, to: input)
        try await disconnect(port, from: input, of: bus, in: session)
        try await eventually("closure", in: session)
        try await goneFromGraph(seenBy: bus)
    }

    func testReconnectedWithinTheSecond() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let session = try await session(at: daemon)
        // It does not answer, so that a busy machine, where this takes more than a second, may try again.
        try await install("life,waits", in: session)
        let input = try await receiver(of: bus)
        let port = try await launchConnected(in: session, seenBy: bus, to: input)
        var questions = 0
        for attempt in 1...20 {
            questions = session.events(of: Self.id).filter { $0 == "asked" }.count
            let start = ContinuousClock.now
            try await disconnect(port, from: input, of: bus, muted: attempt, in: session)
            try await bus.connect(port, to: input)
            try await eventually("unmuted", times: attempt, in: session)
            if start.duration(to: .now) < .seconds(1) { break }
            try XCTSkipIf(attempt == 20, "this machine is too busy to connect again within a second")
        }
        // Another app of the same kind that is not connected again ends meanwhile: the second is over.
        try await outliveAZombie(in: session, seenBy: bus, to: input)
        XCTAssertEqual(session.processes(of: Self.id).count, 1)
        XCTAssertEqual(session.events(of: Self.id).filter { $0 == "asked" }.count, questions)
        let isThere = await bus.graph.port(port.id) != nil
        XCTAssertTrue(isThere)
    }

    /// Another app is launched, connected, disconnected, and ends.
    private func outliveAZombie(in session: DesktopSession, seenBy bus: BusClient, to input: ReceiverPort) async throws
    {
        try await install("life", id: Self.other, name: "Desk", in: session)
        try await run(["launch", "Desk"], in: session)
        let port = try await outlet("Desk.out", seenBy: bus)
        try await bus.connect(port, to: input)
        try await eventually("connected", of: Self.other, in: session)
        try await disconnect(port, from: input, of: bus, id: Self.other, in: session)
        try await eventually(Self.ended, of: Self.other, in: session)
    }

    func testAnAppThatIsShown() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let session = try await session(at: daemon)
        // It is not asked in vain where the presses of this test take longer than the second of its grace.
        try await install("life,shown,waits", in: session)
        let input = try await receiver(of: bus)
        let port = try await launchConnected(in: session, seenBy: bus, to: input)
        try await bus.disconnect(port, from: input)
        try await outliveAZombie(in: session, seenBy: bus, to: input)
        XCTAssertFalse(session.events(of: Self.id).contains("muted"))
        // Its last window goes.
        try await press("hide", seenBy: bus)
        try await eventually("muted", in: session)
        try await press("show", seenBy: bus)
        try await eventually("unmuted", in: session)
        try await press("hide", seenBy: bus)
        try await eventually("muted", times: 2, in: session)
        try await press("allow", seenBy: bus)
        try await eventually(Self.ended, in: session)
    }

    /// One that was started as any program, and one that D-Bus started to show it.
    func testStartedNormally() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let session = try await session(at: daemon)
        let input = try await receiver(of: bus)
        let process = try startNormally("life,limit=0.1", in: session)
        try await eventually("ready", in: session)
        let port = try await outlet(seenBy: bus)
        try await bus.connect(port, to: input)
        try await bus.disconnect(port, from: input)
        try await outliveAZombie(in: session, seenBy: bus, to: input)
        XCTAssertNil(process.ending)
        XCTAssertFalse(session.events(of: Self.id).contains("muted"))
        try await session.endHosts(Self.id)
        try await goneFromGraph(seenBy: bus)
        try await install("life,limit=0.1", in: session, isDBusActivatable: true)
        try await run(["show", "Voice Synth"], in: session)
        try await eventually("ready", in: session)
        XCTAssertEqual(session.events(of: Self.id).first, "started by D-Bus")
        try await session.endHosts(Self.other)
        try await outliveAZombie(in: session, seenBy: bus, to: input)
        XCTAssertFalse(session.events(of: Self.id).contains("muted"))
    }

    func testVeto() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let session = try await session(at: daemon)
        try await install("life,veto", in: session)
        let input = try await receiver(of: bus)
        let port = try await launchConnected(in: session, seenBy: bus, to: input)
        try await bus.disconnect(port, from: input)
        try await eventually("unmuted", in: session)
        XCTAssertEqual(session.events(of: Self.id).filter { $0 == "asked" }.count, 1)
        try await press("allow", seenBy: bus)
        // Looked at again when a window goes.
        try await press("show", seenBy: bus)
        try await press("hide", seenBy: bus)
        try await eventually(Self.ended, in: session)
    }

    func testNobodyConnectsIt() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let session = try await session(at: daemon)
        try await install("life,limit=1", in: session)
        try await run(["launch", "Voice Synth"], in: session)
        try await eventually(Self.ended, in: session)
        try await session.endHosts(Self.id)
        // Without a session bus, too.
        try await install("life,limit=1,deaf", in: session)
        try await run(["launch", "Voice Synth"], in: session)
        try await eventually(Self.ended, in: session)
        try await goneFromGraph(seenBy: bus)
    }

    func testTheLauncherIsKilled() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let session = try await session(at: daemon)
        try await install("life", in: session)
        try await install("launch=\(Self.id)", id: Self.other, name: "Desk", in: session)
        try await run(["launch", "Desk"], in: session)
        try await eventually("ready", of: Self.other, in: session)
        try await eventually("wanted by Desk", in: session)
        try await eventually("connected", in: session)
        let launcher = try XCTUnwrap(session.processes(of: Self.other).first)
        kill(launcher, SIGKILL)
        try await eventually(Self.ended, in: session)
        try await goneFromGraph(seenBy: bus)
    }

    /// An app that did not want to end is asked again when the one that launched it leaves.
    func testTheLauncherLeavesAfterAVeto() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let session = try await session(at: daemon)
        try await install("life,veto", in: session)
        try await install("launch=\(Self.id)", id: Self.other, name: "Desk", in: session)
        try await run(["launch", "Desk"], in: session)
        try await eventually("ready", of: Self.other, in: session)
        try await eventually("connected", in: session)
        let port = try await outlet(seenBy: bus)
        let input = try await eventualResult("the receiver") {
            await bus.graph.destinations(of: port.id).first
        }
        try await bus.disconnect(port, from: input)
        try await eventually("unmuted", in: session)
        try await press("allow", seenBy: bus)
        try await run(["quit", "Desk"], in: session)
        try await eventually(Self.ended, in: session)
    }

    func testARestartOfTheDaemonIsNoDisconnect() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let session = try await session(at: daemon)
        try await install("life", in: session)
        let input = try await receiver(of: bus)
        _ = try await launchConnected(in: session, seenBy: bus, to: input)
        try await daemon.restart()
        try await PipeBusTesting.eventually("the connection", within: .seconds(20)) {
            guard let port = await bus.graph.ports.first(where: { $0.nodeName == "Voice Synth.out" }) else {
                return false
            }
            return await !bus.graph.destinations(of: port.id).isEmpty
        }
        try await outliveAZombie(in: session, seenBy: bus, to: input)
        // It was never in doubt, not even for the second.
        XCTAssertFalse(session.events(of: Self.id).contains("muted"), "\(session.events(of: Self.id))")
        XCTAssertEqual(session.processes(of: Self.id).count, 1)
    }

    /// A session that is over leaves no app behind.
    func testTheDaemonNeverComesBack() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let session = try await session(at: daemon)
        try await install("life,limit=0.5", in: session)
        let input = try await receiver(of: bus)
        // It waits for the port, so that the connection is there when the app has begun to look.
        async let connection = bus.connect("Voice Synth", to: input)
        try await run(["launch", "Voice Synth"], in: session)
        _ = try await connection
        try await eventually("connected", in: session)
        let start = ContinuousClock.now
        try await daemon.kill()
        try await eventually(Self.ended, in: session)
        XCTAssertGreaterThanOrEqual(start.duration(to: .now), .seconds(5))
    }

    func testTenOfThem() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let session = try await session(at: daemon)
        let ids = (0..<10).map { "org.example.voice\($0)" }
        addTeardownBlock { for id in ids { try await session.endHosts(id) } }
        let input = try await bus.receiver("in", channels: .mono, lanes: 10, state: ()) { _, _, _ in }
        var ports: [GraphPort] = []
        for (number, id) in ids.enumerated() {
            try await install("life", id: id, name: "Voice \(number)", in: session)
            try await run(["launch", id], in: session)
            let port = try await outlet("Voice \(number).out", seenBy: bus)
            try await bus.connect(port, to: input)
            try await eventually("connected", of: id, in: session)
            ports.append(port)
        }
        // Five lose their connection.
        for port in ports.prefix(5) { try await bus.disconnect(port, from: input) }
        for id in ids.prefix(5) { try await eventually(Self.ended, of: id, in: session) }
        for id in ids.suffix(5) { XCTAssertFalse(session.events(of: id).contains("muted")) }
        await input.close()
        for id in ids { try await eventually(Self.ended, of: id, in: session) }
        try await PipeBusTesting.eventually("the end of all") {
            !(await bus.graph.peers.contains { $0.name.hasPrefix("Voice") })
        }
    }
}
