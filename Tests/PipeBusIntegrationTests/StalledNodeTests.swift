// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A source hangs, and another program destroys the source's own node meanwhile. Its app makes the node again when it answers, and
/// the receiver's app connects the two.
final class StalledNodeTests: DaemonTestCase {
    private enum Maker { case receiversApp, sourcesApp, patchbay }

    /// A scene whose other source is stopped and was disconnected.
    private func startStalled(
        _ maker: Maker, on installation: PipeWireInstallation
    ) async throws -> (daemon: HeadlessPipeWire, scene: HangScene) {
        let daemon = try await startDaemon(installation: installation)
        let scene = try await HangScene.start(on: daemon)
        if maker != .receiversApp {
            try await scene.bus.disconnect("Other", from: scene.receiver)
            switch maker {
            case .sourcesApp: try await scene.other.perform(.join(source: "Other", destination: "Test"))
            default: try await daemon.perform("pw-link", "Other.out:output_MONO", "Test.in:input_2_MONO")
            }
            try await scene.waitUntilHeard()
        }
        // Younger connections of others are not made again.
        let connected = ContinuousClock.now
        try await eventually("some time to pass") { connected.duration(to: .now) > .milliseconds(1500) }
        try await scene.hang(.stopped, seconds: 0)
        try await scene.waitUntil(isStalled: true)
        return (daemon, scene)
    }

    private func start(
        _ maker: Maker, on installation: PipeWireInstallation
    ) async throws -> (daemon: HeadlessPipeWire, scene: HangScene) {
        let (daemon, scene) = try await startStalled(maker, on: installation)
        try await daemon.destroyNode(named: "Other.out")
        try await eventually("the node to go") { try await scene.source("Other") == nil }
        return (daemon, scene)
    }

    private func assertHeardAgain(_ scene: HangScene) async throws {
        try await scene.goOn()
        let graph = await scene.bus.graph
        XCTAssertEqual(
            graph.connections.filter { $0.destination == scene.receiver.graphID }.map(\.links.count), [1, 1])
    }

    private func check(_ maker: Maker) async throws {
        for installation in PipeWireInstallation.all {
            for isRestarted in [false, true] {
                let (daemon, scene) = try await start(maker, on: installation)
                if isRestarted {
                    try await daemon.restart()
                    try await eventually("the steady source") { try await scene.source("Steady") != nil }
                    try await scene.runCycles(10)
                }
                try await assertHeardAgain(scene)
                try await scene.runCycles(10)
                // Another daemon counts anew.
                if !isRestarted { scene.assertSteady() }
                try await scene.close()
            }
        }
    }

    func testTheReceiversAppHasConnectedThem() async throws { try await check(.receiversApp) }
    func testTheSourcesAppHasConnectedThem() async throws { try await check(.sourcesApp) }
    func testAnotherProgramHasConnectedThem() async throws { try await check(.patchbay) }

    /// To its own app the connection is a new one, which the receiver's app has made.
    func testItsNodeIsDestroyedJustAfterItHasAnswered() async throws {
        for installation in PipeWireInstallation.all {
            for maker in [Maker.receiversApp, .sourcesApp, .patchbay] {
                let (daemon, scene) = try await startStalled(maker, on: installation)
                let old = try await scene.requireOther().port.id
                kill(scene.other.process.pid, SIGCONT)
                try await scene.waitUntil(isStalled: false)
                try await scene.waitUntilHeard()
                try await daemon.destroyNode(named: "Other.out")
                try await eventually("another node") {
                    try await scene.source("Other").map { $0.port.id != old } ?? false
                }
                try await scene.waitUntilHeard()
                try await scene.close()
            }
        }
    }

    /// With its node the app forgets what is to come back.
    func testItsAppEnds() async throws {
        for installation in PipeWireInstallation.all {
            for maker in [Maker.receiversApp, .patchbay] {
                let (daemon, scene) = try await start(maker, on: installation)
                kill(scene.other.process.pid, SIGKILL)
                try await scene.runCycles(10)
                let another = try await Peer.start("Other", on: daemon, client: installation)
                try await another.addSender("out", .constant(0.5))
                try await scene.runCycles(40)
                let source = try await scene.source("Other")
                XCTAssertNil(source, "another app of the same name")
                try await daemon.restart()
                try await eventually("the steady source") { try await scene.source("Steady") != nil }
                try await scene.runCycles(40)
                let later = try await scene.source("Other")
                XCTAssertNil(later, "another app of the same name")
                XCTAssertEqual(scene.stallNotices, [.sourceStalled])
                for peer in [another, scene.steady] { try await peer.close() }
                await scene.bus.close()
            }
        }
    }
}
