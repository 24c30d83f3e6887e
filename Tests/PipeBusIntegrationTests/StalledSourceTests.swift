// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The life of a source that hangs and was disconnected until it answers.
final class StalledSourceTests: DaemonTestCase {
    /// A scene whose other source hangs and is disconnected.
    private func startStalled(_ daemon: HeadlessPipeWire) async throws -> HangScene {
        let scene = try await HangScene.start(on: daemon)
        try await scene.hang(.stopped, seconds: 0)
        try await scene.waitUntil(isStalled: true)
        return scene
    }

    private func linkCount(_ scene: HangScene) async -> Int {
        await scene.bus.graph.connections.filter { $0.destination == scene.receiver.id }.flatMap(\.links).count
    }

    func testASourceThatEndsIsForgotten() async throws {
        for installation in PipeWireInstallation.all {
            let scene = try await startStalled(try await startDaemon(installation: installation))
            kill(scene.other.process.pid, SIGKILL)
            try await eventually("the source to go") { try await scene.source("Other") == nil }
            try await scene.runCycles(10)
            // Nothing of it is declared any more: a session that is made again has the other one alone.
            try await scene.bus.restartSession()
            let sources = try await scene.receiver.sources
            XCTAssertEqual(sources.map(\.isStalled), [false])
            try await scene.runCycles(10)
            try await scene.steady.close()
            await scene.bus.close()
        }
    }

    func testTheAppMayDisconnectIt() async throws {
        for installation in PipeWireInstallation.all {
            let scene = try await startStalled(try await startDaemon(installation: installation))
            try await scene.bus.disconnect("Other", from: scene.receiver)
            let sources = try await scene.receiver.sources
            XCTAssertEqual(sources.count, 1)
            await assertNotConnected(scene.bus)
            kill(scene.other.process.pid, SIGCONT)
            try await scene.runCycles(40)
            let count = await linkCount(scene)
            XCTAssertEqual(count, 1)
            // The lane is free again, and the source can be connected as usual.
            try await scene.bus.connect("Other", to: scene.receiver)
            try await scene.waitUntilHeard()
            try await scene.close()
        }
    }

    private func assertNotConnected(_ bus: BusClient) async {
        await assertThrows("a second disconnection") {
            try await bus.disconnect("Other", from: "Test")
        } _: {
            XCTAssertEqual(($0 as? PipeBusError)?.code, .notConnected)
        }
    }

    /// There is no link that it could remove.
    func testAnotherAppMayDisconnectIt() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let scene = try await startStalled(daemon)
            let patchbay = try await BusClient.connect(
                as: "org.pipebus.patchbay", name: "Patchbay", remote: daemon.remote)
            let graph = await patchbay.graph
            let receiver = try XCTUnwrap(scene.receiver.graphID.flatMap { graph.port($0) })
            XCTAssertEqual(receiver.stalledSources.compactMap { graph.port($0)?.nodeName }, ["Other.out"])
            let notice = try XCTUnwrap(scene.notices.all.first { $0.kind == .sourceStalled })
            XCTAssertEqual(notice.source.flatMap { graph.port($0)?.nodeName }, "Other.out")
            // As pipebus top shows it.
            let shown = Flag()
            let reader = Task {
                for await activity in patchbay.activity(every: .milliseconds(100)) {
                    let stalled = activity.nodes.filter { $0.state == .stalled }.compactMap(\.port)
                    if stalled == receiver.stalledSources { return shown.raise() }
                }
            }
            try await eventually("the stall among the activity") { shown.isRaised }
            await reader.value
            await assertThrows("a second connection") {
                try await patchbay.connect("Other", to: "Test")
            } _: {
                XCTAssertEqual(($0 as? PipeBusError)?.code, .alreadyConnected)
            }
            try await patchbay.disconnect("Other", from: "Test")
            let sources = try await scene.receiver.sources
            XCTAssertEqual(sources.map(\.port.nodeName), ["Steady.out"])
            await assertNotConnected(patchbay)
            kill(scene.other.process.pid, SIGCONT)
            try await scene.runCycles(40)
            let count = await linkCount(scene)
            XCTAssertEqual(count, 1)
            // Nor after a restart.
            try await daemon.restart()
            try await eventually("the steady one") { try await scene.receiver.sources.count == 1 }
            try await scene.runCycles(40)
            let later = await linkCount(scene)
            XCTAssertEqual(later, 1)
            await patchbay.close()
            try await scene.close()
        }
    }

    func testARequestForAnotherSourceHasNoEffect() async throws {
        let daemon = try await startDaemon()
        let scene = try await startStalled(daemon)
        let node = try await daemon.node(named: "Test.in")
        let serial = try await scene.requireOther().port.id.serial
        for value in [
            "\"+\(serial)\"", "\"0\(serial)\"", "\"0\"", "\"-1\"", "\"18446744073709551616\"", "\"\"", "7", "true",
            "\"\u{202e}\"",
        ] {
            try await daemon.perform(
                "pw-cli", "set-param", "\(node)", "Props", "{ params = [ \"pipebus.stalled.forget\" \(value) ] }")
        }
        try await scene.runCycles(20)
        let source = try await scene.requireOther()
        XCTAssertTrue(source.isStalled)
        kill(scene.other.process.pid, SIGCONT)
        try await scene.waitUntil(isStalled: false)
        // The graph is the daemon's, which takes the property and gives it back.
        try await eventually("the graph to show it") {
            let graph = await scene.bus.graph
            return scene.receiver.graphID.flatMap { graph.port($0) }?.stalledSources == []
        }
        try await scene.close()
    }

    func testItCountsAsConnected() async throws {
        let scene = try await startStalled(try await startDaemon())
        await assertThrows("a second connection") {
            try await scene.bus.connect("Other", to: scene.receiver)
        } _: {
            XCTAssertEqual(($0 as? PipeBusError)?.code, .alreadyConnected)
        }
        kill(scene.other.process.pid, SIGCONT)
        try await scene.waitUntil(isStalled: false)
        try await scene.waitUntilHeard()
        try await scene.close()
    }

    /// The connection is still declared: a session that is made again makes it.
    func testTheDeclarationStays() async throws {
        let scene = try await startStalled(try await startDaemon())
        await scene.bus.endSession()
        kill(scene.other.process.pid, SIGCONT)
        try await scene.bus.restartSession()
        let sources = try await scene.receiver.sources
        XCTAssertEqual(Set(sources.map(\.title)).count, 2)
        try await scene.runCycles(20)
        try await scene.close()
    }

    /// The session is made again while the source still hangs.
    func testASessionThatIsMadeAgainMeanwhile() async throws {
        for installation in PipeWireInstallation.all {
            let scene = try await startStalled(try await startDaemon(installation: installation))
            async let restart: Void = scene.bus.restartSession()
            try await eventually("the time of a rebuild") { try await !scene.receiver.sources.isEmpty }
            kill(scene.other.process.pid, SIGCONT)
            try await restart
            try await eventually("both sources", within: .seconds(20)) {
                try await scene.receiver.sources.map(\.isStalled) == [false, false]
            }
            try await scene.runCycles(20)
            try await scene.close()
        }
    }

    /// Links of a patchbay are treated in the same way.
    func testALinkOfAnotherProgram() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let scene = try await HangScene.start(on: daemon)
            try await scene.bus.disconnect("Other", from: scene.receiver)
            let tool = try daemon.run("pw-link", ["Other.out:output_MONO", "Test.in:input_2_MONO"])
            let ending = try await tool.waitForEnd()
            XCTAssertEqual(ending, .exited(0), "\(tool.failure("failed"))")
            try await scene.waitUntilHeard()
            try await scene.hang(.stopped, seconds: 0)
            try await scene.waitUntil(isStalled: true)
            try await scene.runCycles(20)
            kill(scene.other.process.pid, SIGCONT)
            try await scene.waitUntil(isStalled: false)
            try await scene.waitUntilHeard()
            try await scene.close()
        }
    }

    func testItIsHandledEachTimeItHangs() async throws {
        let scene = try await HangScene.start(on: try await startDaemon())
        for round in 1...3 {
            try await scene.hang(.stopped, seconds: 0)
            try await scene.waitUntil(isStalled: true)
            kill(scene.other.process.pid, SIGCONT)
            let answered = ContinuousClock.now
            try await scene.waitUntil(isStalled: false)
            try await scene.waitUntilHeard()
            // It waits longer each time: 0, 1, 2 seconds.
            XCTAssertGreaterThanOrEqual(answered.duration(to: .now), .seconds(round - 1))
            XCTAssertEqual(scene.notices.all.filter { $0.kind == .sourceStalled }.count, round)
        }
        scene.assertSteady()
        try await scene.close()
    }

    func testLevelsStayAndMayBeChangedMeanwhile() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let receiver = try await bus.receiver("in", channels: .stereo, state: ()) { _, _, _ in }
        let steady = try await Peer.start("Steady", on: daemon)
        try await steady.addSender("out", channels: 2, .constant(0.25))
        let other = try await Peer.start("Other", on: daemon)
        try await other.addSender("out", channels: 1, .constant(0.5))
        try await bus.connect("Steady", to: receiver)
        let connection = try await bus.connect("Other", to: receiver)
        try await receiver.setVolume(0.5, for: connection.source)
        try await eventually("cycles") { try await receiver.statistics.cycles > 20 }
        kill(other.process.pid, SIGSTOP)
        try await eventually("the stall") { try await receiver.sources.last?.isStalled == true }
        let stalled = try await receiver.sources
        XCTAssertEqual(stalled.map(\.level.volume), [1, 0.5])
        XCTAssertEqual(stalled.map(\.channelCount), [2, 1])
        try await receiver.setVolume(0.25, for: connection.source)
        // From another process it is set as any other.
        let patchbay = try await BusClient.connect(as: "org.pipebus.patchbay", name: "Patchbay", remote: daemon.remote)
        try await eventually("the patchbay to see it") {
            await patchbay.graph.ports.contains { !$0.stalledSources.isEmpty }
        }
        let set = try await patchbay.setLevel(.muted(true), of: "Other", at: "Test")
        XCTAssertEqual(set.volume, 0.25)
        let muted = try await receiver.sources.map(\.level.isMuted)
        XCTAssertEqual(muted, [false, true])
        await patchbay.close()
        kill(other.process.pid, SIGCONT)
        try await eventually("the source to be back") { try await receiver.sources.last?.isStalled == false }
        let back = try await receiver.sources
        XCTAssertEqual(back.map(\.level.volume), [1, 0.25])
        XCTAssertEqual(back.map(\.channelCount), [2, 1])
        XCTAssertEqual(back.map(\.lane), [0, 1])
        let links = await bus.graph.connections.filter { $0.destination == receiver.id }.map(\.links.count)
        XCTAssertEqual(links.sorted(), [2, 2])
        for peer in [steady, other] { try await peer.close() }
        await bus.close()
    }

    /// Without a cycle no window of a meter ends.
    func testTheMetersOfTheOnlySourceFallToSilence() async throws {
        let daemon = try await startDaemon()
        let source = try await Peer.start("Source", on: daemon)
        try await source.addSender("out", .constant(0.5))
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let input = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        try await bus.connect("Source", to: input)
        try await eventually("sound") { input.mixMeter.rms > 0.4 }
        kill(source.process.pid, SIGSTOP)
        var readings: [Float] = []
        for await reading in input.meters(every: .milliseconds(100)) {
            readings.append(reading.first?.meter.peak ?? 0)
            if readings.last == 0 { break }
        }
        XCTAssertEqual(readings.first, 0.5)
        try await eventually("no sound at present") { input.mixMeter.rms == 0 && input.meter(ofLane: 0).rms == 0 }
        try await eventually("no sound in two seconds") {
            input.mixMeter.peak == 0 && input.meter(ofLane: 0).heldPeak == 0
        }
        kill(source.process.pid, SIGCONT)
        try await eventually("sound again", within: .seconds(20)) { input.mixMeter.rms > 0.4 }
        try await source.close()
        await bus.close()
    }
}
