// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A source hangs and was disconnected until it answers, and its port or the session is made again meanwhile.
final class StalledOverRestartsTests: DaemonTestCase {
    /// A scene whose other source is stopped, and then the receiver's node was destroyed and made again.
    private func startRemade(
        _ installation: PipeWireInstallation, byPatchbay: Bool = false
    ) async throws -> (daemon: HeadlessPipeWire, scene: HangScene) {
        let daemon = try await startDaemon(installation: installation)
        let scene = try await HangScene.start(on: daemon)
        if byPatchbay {
            try await scene.bus.disconnect("Other", from: scene.receiver)
            try await daemon.perform("pw-link", "Other.out:output_MONO", "Test.in:input_2_MONO")
            try await scene.waitUntilHeard()
            // Younger connections of others are not made again.
            let connected = ContinuousClock.now
            try await eventually("some time to pass") { connected.duration(to: .now) > .milliseconds(1500) }
        }
        try await scene.hang(.stopped, seconds: 0)
        try await scene.waitUntil(isStalled: true)
        try await remake(daemon, scene)
        return (daemon, scene)
    }

    private func remake(_ daemon: HeadlessPipeWire, _ scene: HangScene) async throws {
        let old = scene.receiver.graphID
        try await daemon.destroyNode(named: "Test.in")
        try await eventually("the port to be there again") {
            scene.receiver.graphID != nil && scene.receiver.graphID != old
        }
    }

    private func links(of scene: HangScene) async -> [Int] {
        let graph = await scene.bus.graph
        return graph.connections.filter { graph.port($0.source)?.nodeName == "Other.out" }
            .flatMap { $0.links.map(\.input) }
    }

    private func assertHeardAgain(_ scene: HangScene) async throws {
        try await scene.goOn()
        let notice = try XCTUnwrap(scene.notices.all.last { $0.kind == .sourceRestored })
        let graph = await scene.bus.graph
        XCTAssertEqual(notice.port, "in")
        XCTAssertEqual(notice.source.flatMap { graph.port($0)?.nodeName }, "Other.out")
    }

    func testThePortIsMadeAgain() async throws {
        for installation in PipeWireInstallation.all {
            let (_, scene) = try await startRemade(installation)
            let source = try await scene.requireOther()
            XCTAssertTrue(source.isStalled)
            XCTAssertEqual(source.lane, 1)
            // Any other process sees it too.
            try await eventually("the stall in the graph") {
                let graph = await scene.bus.graph
                return scene.receiver.graphID.flatMap { graph.port($0) }?.stalledSources == [source.port.id]
            }
            // On 0.3.65 a link that was requested would be in the graph at once.
            let made = ContinuousClock.now
            try await eventually("some time to pass") { made.duration(to: .now) > .seconds(1) }
            let stalled = try await scene.requireOther()
            XCTAssertTrue(stalled.isStalled)
            let requested = await links(of: scene)
            XCTAssertEqual(requested, [], "links of a source that hangs")
            await assertThrows("a second connection") {
                try await scene.bus.connect("Other", to: scene.receiver)
            } _: {
                XCTAssertEqual(($0 as? PipeBusError)?.code, .alreadyConnected)
            }
            try await assertHeardAgain(scene)
            let lanes = try await scene.receiver.sources.map(\.lane)
            XCTAssertEqual(lanes, [0, 1])
            try await scene.runCycles(10)
            scene.assertSteady()
            try await scene.close()
        }
    }

    func testThePortIsMadeAgainAndAgain() async throws {
        for installation in PipeWireInstallation.all {
            let (daemon, scene) = try await startRemade(installation)
            try await remake(daemon, scene)
            try await remake(daemon, scene)
            let source = try await scene.requireOther()
            XCTAssertTrue(source.isStalled)
            try await assertHeardAgain(scene)
            try await scene.close()
        }
    }

    // Not with PipeWire 1.4: in this very order of messages its daemon takes another answer for that of the stopped source
    // (Docs/PipeWireVersions.md), so the source counts as going on.
    func testAConnectionOfAnotherProgram() async throws {
        for installation in [PipeWireInstallation.chosen] {
            let (_, scene) = try await startRemade(installation, byPatchbay: true)
            let source = try await scene.requireOther()
            XCTAssertTrue(source.isStalled)
            try await assertHeardAgain(scene)
            try await scene.close()
        }
    }

    func testItAnswersWhileThePortIsAway() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let scene = try await HangScene.start(on: daemon)
            try await scene.hang(.stopped, seconds: 0)
            try await scene.waitUntil(isStalled: true)
            let node = try await daemon.node(named: "Test.in")
            let tool = try daemon.run("pw-cli", ["destroy", "\(node)"])
            kill(scene.other.process.pid, SIGCONT)
            let ending = try await tool.waitForEnd()
            XCTAssertEqual(ending, .exited(0))
            try await eventually("both sources") {
                try await scene.receiver.sources.map(\.isStalled) == [false, false]
            }
            try await scene.waitUntilHeard()
            try await eventually("the notice") { scene.stallNotices == [.sourceStalled, .sourceRestored] }
            try await scene.close()
        }
    }

    func testTheAppMayDisconnectIt() async throws {
        for installation in PipeWireInstallation.all {
            let (_, scene) = try await startRemade(installation)
            try await scene.bus.disconnect("Other", from: scene.receiver)
            try await assertStaysAway(scene)
        }
    }

    func testAnotherAppMayDisconnectIt() async throws {
        for installation in PipeWireInstallation.all {
            let (daemon, scene) = try await startRemade(installation)
            let patchbay = try await BusClient.connect(
                as: "org.pipebus.patchbay", name: "Patchbay", remote: daemon.remote)
            try await patchbay.disconnect("Other", from: "Test")
            await patchbay.close()
            try await assertStaysAway(scene)
        }
    }

    private func assertStaysAway(_ scene: HangScene) async throws {
        let source = try await scene.source("Other")
        XCTAssertNil(source)
        kill(scene.other.process.pid, SIGCONT)
        try await eventually("the steady one") {
            try await scene.receiver.sources.map(\.port.nodeName) == ["Steady.out"]
        }
        try await scene.runCycles(40)
        let links = await links(of: scene)
        XCTAssertEqual(links, [])
        XCTAssertEqual(scene.stallNotices, [.sourceStalled])
        // The lane is free again, and the source can be connected as usual.
        try await scene.bus.connect("Other", to: scene.receiver)
        try await scene.waitUntilHeard()
        XCTAssertEqual(scene.stallNotices, [.sourceStalled])
        try await scene.close()
    }

    func testASourceThatEndsIsForgotten() async throws {
        for installation in PipeWireInstallation.all {
            let (daemon, scene) = try await startRemade(installation)
            kill(scene.other.process.pid, SIGKILL)
            try await eventually("the source to go") { try await scene.source("Other") == nil }
            try await scene.runCycles(10)
            let another = try await Peer.start("Other", on: daemon, client: installation)
            try await another.addSender("out", .constant(0.5))
            try await scene.runCycles(40)
            let links = await links(of: scene)
            XCTAssertEqual(links, [], "another app of the same name")
            try await another.close()
            try await scene.steady.close()
            await scene.bus.close()
        }
    }

    func testItEndsWhileThePortIsAway() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let scene = try await HangScene.start(on: daemon)
            try await scene.hang(.stopped, seconds: 0)
            try await scene.waitUntil(isStalled: true)
            let (old, node) = (scene.receiver.graphID, try await daemon.node(named: "Test.in"))
            let tool = try daemon.run("pw-cli", ["destroy", "\(node)"])
            kill(scene.other.process.pid, SIGKILL)
            let ending = try await tool.waitForEnd()
            XCTAssertEqual(ending, .exited(0))
            try await eventually("the port and the steady source") {
                let sources = try await scene.receiver.sources
                return scene.receiver.graphID != old && sources.map(\.port.nodeName) == ["Steady.out"]
            }
            let another = try await Peer.start("Other", on: daemon, client: installation)
            try await another.addSender("out", .constant(0.5))
            try await scene.runCycles(40)
            try await daemon.restart()
            try await eventually("the steady source") { try await scene.source("Steady") != nil }
            try await scene.runCycles(40)
            let links = await links(of: scene)
            XCTAssertEqual(links, [], "another app of the same name")
            XCTAssertEqual(scene.stallNotices, [.sourceStalled])
            try await another.close()
            try await scene.steady.close()
            await scene.bus.close()
        }
    }

    func testTheDaemonIsRestarted() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let scene = try await HangScene.start(on: daemon)
            try await scene.hang(.stopped, seconds: 0)
            try await scene.waitUntil(isStalled: true)
            try await daemon.restart()
            try await eventually("the steady source") { try await scene.source("Steady") != nil }
            try await scene.runCycles(10)
            XCTAssertEqual(scene.stallNotices, [.sourceStalled])
            try await assertHeardAgain(scene)
            try await scene.close()
        }
    }

    /// The source's node is the same one for the next session.
    func testTheSessionIsMadeAgain() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let scene = try await HangScene.start(on: daemon)
            try await scene.hang(.stopped, seconds: 0)
            try await scene.waitUntil(isStalled: true)
            async let restart: Void = scene.bus.restartSession()
            try await eventually("the time of a rebuild") { try await !scene.receiver.sources.isEmpty }
            kill(scene.other.process.pid, SIGCONT)
            try await restart
            try await scene.waitUntilHeard()
            try await eventually("the notice") { scene.stallNotices == [.sourceStalled, .sourceRestored] }
            try await scene.close()
        }
    }

    /// The app learns which app PipeWire waits for.
    func testTheStandstillNamesTheSource() async throws {
        let (_, scene) = try await startRemade(.chosen)
        try await eventually("the standstill", within: .seconds(20)) {
            scene.notices.all.contains { $0.kind == .graphStandsStill }
        }
        let notice = try XCTUnwrap(scene.notices.all.first { $0.kind == .graphStandsStill })
        let source = try await scene.requireOther()
        XCTAssertEqual(notice.source, source.port.id)
        XCTAssertTrue(notice.message.contains("Other out"), notice.message)
        try await assertHeardAgain(scene)
        try await scene.close()
    }
}
