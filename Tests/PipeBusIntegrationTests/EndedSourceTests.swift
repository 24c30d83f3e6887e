// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A source's app ends at the moment of an interruption. Its connections end with it: a later app of that name gets none of them.
final class EndedSourceTests: DaemonTestCase {
    private struct Scene {
        let daemon: HeadlessPipeWire
        let bus: BusClient
        let receiver: ReceiverPort
        let source: Peer
    }

    private func start(byPatchbay: Bool, on installation: PipeWireInstallation) async throws -> Scene {
        let daemon = try await startDaemon(installation: installation)
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let source = try await Peer.start("Source", on: daemon, client: installation)
        try await source.addSender("out", .constant(0.5))
        if byPatchbay {
            try await daemon.perform("pw-link", "Source.out:output_MONO", "Test.in:input_1_MONO")
        } else {
            try await bus.connect("Source", to: receiver)
        }
        try await eventually("the source") { try await receiver.sources.count == 1 }
        try await pass(.milliseconds(1500))
        return Scene(daemon: daemon, bus: bus, receiver: receiver, source: source)
    }

    /// Younger connections of others are not made again, and nothing tells that one is not made.
    private func pass(_ time: Duration) async throws {
        let start = ContinuousClock.now
        try await eventually("some time to pass") { start.duration(to: .now) > time }
    }

    private func assertStaysAway(_ scene: Scene, _ installation: PipeWireInstallation) async throws {
        let another = try await Peer.start("Source", on: scene.daemon, client: installation)
        try await another.addSender("out", .constant(0.5))
        try await eventually("the port") { scene.receiver.graphID != nil }
        try await pass(.seconds(1))
        let sources = try await scene.receiver.sources.map(\.title)
        XCTAssertEqual(sources, [], "another app of the same name")
        try await another.close()
        await scene.bus.close()
    }

    func testThePortIsDestroyed() async throws {
        for installation in PipeWireInstallation.all {
            for byPatchbay in [false, true] {
                let scene = try await start(byPatchbay: byPatchbay, on: installation)
                let old = scene.receiver.graphID
                try await scene.daemon.destroyNode(named: "Test.in")
                kill(scene.source.process.pid, SIGKILL)
                try await eventually("the port again") {
                    scene.receiver.graphID != nil && scene.receiver.graphID != old
                }
                try await assertStaysAway(scene, installation)
            }
        }
    }

    func testTheDaemonEndsSoonAfter() async throws {
        for installation in PipeWireInstallation.all {
            for byPatchbay in [false, true] {
                let scene = try await start(byPatchbay: byPatchbay, on: installation)
                kill(scene.source.process.pid, SIGKILL)
                try await eventually("the source to go") { try await scene.receiver.sources.isEmpty }
                try await pass(.milliseconds(100))
                try await scene.daemon.restart()
                try await assertStaysAway(scene, installation)
            }
        }
    }
}
