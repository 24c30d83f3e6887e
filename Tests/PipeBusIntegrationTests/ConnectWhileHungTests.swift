// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Connections that are requested while the daemon makes no link, because a source that hangs has lost its last one.
final class ConnectWhileHungTests: DaemonTestCase {
    /// A scene whose other source hangs and is disconnected, a third source that runs, and a patchbay.
    private struct Stage {
        let scene: HangScene
        let third: Peer
        let patchbay: BusClient

        static func start(on daemon: HeadlessPipeWire, channels: Int = 1) async throws -> Stage {
            let scene = try await HangScene.start(on: daemon, channels: channels)
            let third = try await Peer.start("Third", on: daemon, client: daemon.installation)
            try await third.addSender("out", channels: channels, .constant(0.25))
            try await scene.steady.addReceiver("elsewhere", channels: channels)
            let patchbay = try await BusClient.connect(
                as: "org.pipebus.patchbay", name: "Patchbay", remote: daemon.remote)
            try await patchbay.connect("Third", to: "Steady.elsewhere", lingers: true)
            return Stage(scene: scene, third: third, patchbay: patchbay)
        }

        /// Waits until the patchbay knows of the source that hangs.
        func stopOther() async throws {
            try await scene.hang(.stopped, seconds: 0)
            try await scene.waitUntil(isStalled: true)
            try await eventually("the patchbay to see it") {
                await patchbay.graph.ports.contains { !$0.stalledSources.isEmpty }
            }
        }

        /// The links from the third source to the receiver, also those that are not active.
        var links: [Connection.Link] {
            get async {
                let graph = await scene.bus.graph
                return graph.connections.first {
                    graph.port($0.source)?.nodeName == "Third.out" && $0.destination == scene.receiver.id
                }?.links ?? []
            }
        }

        func close() async throws {
            await patchbay.close()
            try await third.close()
            try await scene.close()
        }
    }

    /// On a daemon of 0.3.65 a link that waits lets the receiver run before its other sources.
    func testNoLinkIsRequestedBeforeTheAnswer() async throws {
        for installation in PipeWireInstallation.all {
            let stage = try await Stage.start(on: try await startDaemon(installation: installation))
            try await stage.stopOther()
            let first = stage.scene.hearing.moments.count
            async let connection = stage.patchbay.connect("Third", to: "Test", timeout: .seconds(60))
            for _ in 1...20 {
                try await stage.scene.runCycles(3)
                let links = await stage.links
                XCTAssertEqual(links.count, 0)
            }
            stage.scene.assertSteadyIsHeard(in: first..<stage.scene.hearing.moments.count, for: 1)
            kill(stage.scene.other.process.pid, SIGCONT)
            let made = try await connection
            XCTAssertEqual(made.links.count, 1)
            try await stage.scene.waitUntil(isStalled: false)
            try await stage.scene.waitUntilHeard()
            try await eventually("the third one to be heard") {
                stage.scene.hearing.moments.last?.lanes[2]?.channels[0].last == 0.25
            }
            stage.scene.assertSteady()
            try await stage.close()
        }
    }

    func testACallThatEndsBeforeTheAnswerLeavesNothing() async throws {
        let stage = try await Stage.start(on: try await startDaemon())
        try await stage.stopOther()
        await assertThrows("the connection") {
            try await stage.patchbay.connect("Third", to: "Test", lingers: true, timeout: .seconds(1))
        } _: {
            XCTAssertEqual(($0 as? PipeBusError)?.code, .timedOut)
            XCTAssertTrue(($0 as? PipeBusError)?.message.contains("it waits for Other") == true, "\($0)")
        }
        // What cannot be connected at all is known at once.
        await assertThrows("a second connection") {
            try await stage.patchbay.connect("Other", to: "Test", timeout: .seconds(60))
        } _: {
            XCTAssertEqual(($0 as? PipeBusError)?.code, .alreadyConnected)
        }
        kill(stage.scene.other.process.pid, SIGCONT)
        try await stage.scene.waitUntil(isStalled: false)
        try await stage.scene.runCycles(20)
        let links = await stage.links
        XCTAssertEqual(links.count, 0)
        try await stage.close()
    }

    func testACallThatWaitsIsEndedByADisconnection() async throws {
        let stage = try await Stage.start(on: try await startDaemon())
        try await stage.stopOther()
        let call = Task { try await stage.patchbay.connect("Third", to: "Test", timeout: .seconds(60)) }
        try await eventually("the disconnection") {
            (try? await stage.patchbay.disconnect("Third", from: "Test")) != nil
        }
        await assertThrows("the connection") {
            _ = try await call.value
        } _: {
            XCTAssertEqual(($0 as? PipeBusError)?.code, .linkFailed)
        }
        try await stage.close()
    }

    /// The daemon does not pause a source that something else keeps running, and makes links.
    func testASourceThatIsNotPausedIsNotWaitedFor() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let stage = try await Stage.start(on: daemon)
            let foreign = try await startForeign(on: daemon, stage)
            // Another port of its app is linked.
            try await stage.scene.other.addSender("second", .constant(0.125))
            try await daemon.perform("pw-link", "Other.second:output_MONO", "jack_delay:in")
            try await stage.stopOther()
            let made = try await stage.patchbay.connect("Third", to: "Test", timeout: .seconds(20))
            XCTAssertEqual(made.links.count, 1)
            kill(stage.scene.other.process.pid, SIGCONT)
            try await stage.scene.waitUntil(isStalled: false)
            kill(foreign.pid, SIGKILL)
            try await stage.close()
        }
    }

    /// It always runs.
    func testAJackAppThatHangsIsNotWaitedFor() async throws {
        let daemon = try await startDaemon()
        let stage = try await Stage.start(on: daemon)
        let foreign = try await startForeign(on: daemon, stage)
        try await daemon.perform("pw-link", "jack_delay:out", "Test.in:input_3_MONO")
        try await stage.scene.runCycles(20)
        kill(foreign.pid, SIGSTOP)
        try await eventually("the patchbay to see it") {
            await stage.patchbay.graph.ports.contains { !$0.stalledSources.isEmpty }
        }
        let made = try await stage.patchbay.connect("Third", to: "Test", timeout: .seconds(20))
        XCTAssertEqual(made.links.count, 1)
        kill(foreign.pid, SIGKILL)
        try await stage.close()
    }

    /// The receiver has moved the connection to another lane, and keeps a link of its own.
    func testALinkThatTheReceiverMadeInItsPlaceGoesWithIt() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let stage = try await Stage.start(on: daemon, channels: 2)
            let foreign = try await startForeign(on: daemon, stage)
            // It keeps a link, so the daemon does not wait for it, but for a source that PipeBus does not know to hang.
            try await daemon.perform("pw-link", "Other.out:output_FL", "jack_delay:in")
            let plain = try await ClockSender.start("Plain", in: daemon.environment())
            try await daemon.perform("pw-link", "Plain:out_FL", "jack_delay:in")
            try await stage.scene.runCycles(20)
            kill(plain.process.pid, SIGSTOP)
            try await stage.stopOther()
            try await daemon.perform("pw-link", "-d", "Plain:out_FL", "jack_delay:in")
            await assertThrows("the connection") {
                try await stage.patchbay.connect("Third", to: "Test", lingers: true, timeout: .seconds(2))
            } _: {
                XCTAssertEqual(($0 as? PipeBusError)?.code, .timedOut)
            }
            XCTAssertTrue(stage.scene.notices.all.contains { $0.kind == .linkMoved })
            try await eventually("no link") { await stage.links.isEmpty }
            kill(plain.process.pid, SIGCONT)
            kill(stage.scene.other.process.pid, SIGCONT)
            try await stage.scene.waitUntil(isStalled: false)
            try await stage.scene.runCycles(20)
            let links = await stage.links
            XCTAssertEqual(links.count, 0)
            plain.process.closeInput()
            kill(foreign.pid, SIGKILL)
            try await stage.close()
        }
    }

    private func startForeign(on daemon: HeadlessPipeWire, _ stage: Stage) async throws -> ChildProcess {
        let foreign = try daemon.run("pw-jack", ["jack_iodelay"])
        try await eventually("the other program") {
            await stage.scene.bus.graph.ports.contains { $0.nodeName == "jack_delay" && !$0.inputs.isEmpty }
        }
        return foreign
    }
}
