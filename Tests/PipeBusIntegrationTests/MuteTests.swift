// SPDX-License-Identifier: MIT
import ConnectionGraph
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The mute rule in a real graph, with links made by this client and by others, and removed again. The rule itself has
/// its table in `MuteRuleTests`.
final class MuteTests: DaemonTestCase {
    /// An app whose sender's state is asked for, with everything that it can be connected to.
    private struct Scene {
        var daemon: HeadlessPipeWire
        var app: BusClient
        var out: SenderPort
        /// Whether the block was muted in its last cycle.
        var isMutedThere: Box<Bool?>
        var desk: ReceiverPort
        var foreign: ChildProcess

        func connect(_ ends: (String, String), byOthers: Bool) async throws {
            guard byOthers else {
                try await app.connect(ends.0, to: ends.1)
                return
            }
            try await daemon.run("pw-link", [ends.0, ends.1]).waitForEnd()
        }

        func disconnect(_ ends: (String, String), byOthers: Bool) async throws {
            guard byOthers else { return try await app.disconnect(ends.0, from: ends.1) }
            try await daemon.run("pw-link", ["-d", ends.0, ends.1]).waitForEnd()
        }
    }

    private func makeScene() async throws -> Scene {
        let daemon = try await startDaemon(.init(quantum: 256, hasNullSink: true))
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: daemon.remote, allowsConnectionsToSelf: true)
        let seen = Box<Bool?>(nil)
        let out = try await app.sender("out", state: ()) { _, cycle, _ in seen.value = cycle.shouldMuteLocalOutput }
        let desk = try await app.receiver("desk", isMonitoring: true, state: ()) { _, _, _ in }
        _ = try await app.receiver("recorder", state: ()) { _, _, _ in }
        _ = try await app.filter("fx", state: ()) { _, _, _, _ in }
        let foreign = try daemon.run("pw-jack", ["jack_iodelay"])
        try await eventually("the foreign filter") { await app.graph.ports.contains { $0.nodeName == "jack_delay" } }
        return Scene(daemon: daemon, app: app, out: out, isMutedThere: seen, desk: desk, foreign: foreign)
    }

    private typealias Ends = (String, String)

    private func check(_ scene: Scene, _ connections: [Ends], _ expected: Certainty, byOthers: Bool) async throws {
        let line = "\(connections) \(byOthers ? "by pw-link" : "by us")"
        for ends in connections { try await scene.connect(ends, byOthers: byOthers) }
        try await eventually("\(line) to be \(expected)") { try await scene.out.state.isPlayed == expected }
        try await eventually("\(line) to be reported") { scene.out.shouldMuteLocalOutput == (expected == .yes) }
        if scene.out.isConnected {
            try await eventually("\(line) to be seen by the block") { scene.isMutedThere.value == (expected == .yes) }
        }
        for ends in connections.reversed() { try await scene.disconnect(ends, byOthers: byOthers) }
        try await eventually("\(line) to be undone") {
            try await scene.out.state.isPlayed == .no && !scene.out.shouldMuteLocalOutput && !scene.out.isConnected
        }
    }

    func testTheRuleHoldsInARealGraph() async throws {
        let scene = try await makeScene()
        try await check(scene, [], .no, byOthers: false)
        try await check(scene, [("App.out", "App.recorder")], .no, byOthers: false)
        try await check(scene, [("App.out", "App.desk")], .yes, byOthers: false)
        try await check(scene, [("App.out", "null-sink")], .yes, byOthers: false)
        try await check(scene, [("App.out", "App.fx"), ("App.fx", "App.desk")], .yes, byOthers: false)
        try await check(scene, [("App.out", "App.recorder"), ("App.out", "null-sink")], .yes, byOthers: false)
        let left = ("App.out:output_FL", "App.fx:input_FL")
        try await check(scene, [("App.out:output_FL", "App.desk:input_1_FL")], .yes, byOthers: true)
        try await check(scene, [("App.out:output_FR", "null-sink:playback_FR")], .yes, byOthers: true)
        try await check(scene, [("App.out:output_FL", "jack_delay:in")], .unknown, byOthers: true)
        try await check(
            scene, [("jack_delay:out", "App.desk:input_1_FL"), ("App.out:output_FL", "jack_delay:in")], .unknown,
            byOthers: true)
        try await check(scene, [left, ("App.fx:output_FL", "jack_delay:in")], .unknown, byOthers: true)
        try await check(scene, [left, ("App.fx:output_FL", "App.recorder:input_1_FL")], .no, byOthers: true)
        await scene.app.close()
        scene.foreign.signal(SIGTERM)
        try await scene.foreign.waitForEnd()
    }

    func testAReceiverMayBeginAndEndToMonitor() async throws {
        let scene = try await makeScene()
        try await scene.app.connect(scene.out, to: scene.desk)
        try await eventually("it to be muted") { scene.out.shouldMuteLocalOutput }
        try await scene.desk.setMonitoring(false)
        try await eventually("it not to be muted") { !scene.out.shouldMuteLocalOutput }
        try await scene.desk.setMonitoring(true)
        try await eventually("it to be muted again") { scene.out.shouldMuteLocalOutput }
        await scene.app.close()
        XCTAssertFalse(scene.out.shouldMuteLocalOutput, "nobody hears it any more")
        XCTAssertFalse(scene.out.isConnected)
        scene.foreign.signal(SIGTERM)
        try await scene.foreign.waitForEnd()
    }

    func testWithoutTheDaemonItIsNotPlayed() async throws {
        let scene = try await makeScene()
        try await scene.app.connect(scene.out, to: scene.desk)
        try await eventually("it to be muted") { scene.out.shouldMuteLocalOutput }
        var updates = scene.out.stateUpdates.makeAsyncIterator()
        var last = await updates.next()
        scene.daemon.signal(SIGKILL)
        try await eventually("it not to be muted") { !scene.out.shouldMuteLocalOutput && !scene.out.isConnected }
        while last?.isPlayed != .no, let state = await updates.next() { last = state }
        XCTAssertEqual(last?.isPlayed, .no)
        await scene.app.close()
        scene.foreign.signal(SIGKILL)
        try await scene.foreign.waitForEnd()
    }

    func testEveryChangeOfAPortIsReported() async throws {
        let scene = try await makeScene()
        var updates = scene.out.stateUpdates.makeAsyncIterator()
        var state = await updates.next()
        XCTAssertEqual(state?.isConnected, false)
        XCTAssertEqual(state?.destinationsTitle, "")
        try await scene.app.connect("App.fx", to: "null-sink")
        try await scene.app.connect(scene.out, to: "App.fx")
        repeat { state = await updates.next() } while state != nil && state?.shouldMuteLocalOutput != true
        XCTAssertEqual(state?.destinations.map(\.nodeName), ["App.fx"])
        XCTAssertEqual(state?.destinationsRecursive.map(\.nodeName), ["App.fx", "null-sink"])
        try await scene.app.disconnect("App.fx", from: "null-sink")
        repeat { state = await updates.next() } while state != nil && state?.shouldMuteLocalOutput != false
        XCTAssertEqual(state?.destinationsTitle, "App fx")
        await scene.out.close()
        var last = state
        repeat {
            last = state
            state = await updates.next()
        } while state != nil
        XCTAssertEqual(last?.isConnected, false, "nothing is connected to what is closed")
        await scene.app.close()
        scene.foreign.signal(SIGTERM)
        try await scene.foreign.waitForEnd()
    }

    func testALiveSourceIsKnownAtTheReceiver() async throws {
        let scene = try await makeScene()
        try await scene.app.connect(scene.out, to: "App.fx")
        try await scene.app.connect("App.fx", to: scene.desk)
        try await eventually("it to be no live source") {
            try await scene.desk.sources.map(\.isFromLiveSource) == [false]
        }
        var changes = scene.desk.sourceUpdates.makeAsyncIterator()
        _ = await changes.next()
        try await scene.out.setFromLiveSource(true)
        let change = await changes.next()
        XCTAssertEqual(change?.sources.map(\.isFromLiveSource), [true])
        await scene.app.close()
        scene.foreign.signal(SIGTERM)
        try await scene.foreign.waitForEnd()
    }
}
