// SPDX-License-Identifier: MIT
import ConnectionGraph
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The daemon ends and another one starts: everything that an app declared is in its graph again, by itself.
final class ReconnectTests: DaemonTestCase {
    func testEverythingIsBack() async throws {
        try await restartDaemon(of: .chosen)
    }

    func testEverythingIsBackOnANewerPipeWire() async throws {
        try await restartDaemon(of: .newer())
    }

    private func restartDaemon(of installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let giver = try await BusClient.connect(
            as: "org.pipebus.giver", name: "Giver", remote: daemon.remote, allowsConnectionsToSelf: true)
        let taker = try await BusClient.connect(
            as: "org.pipebus.taker", name: "Taker", remote: daemon.remote, allowsConnectionsToSelf: true)
        let output = try await giver.sender("out", channels: .mono, latency: 7, isFromLiveSource: true, state: ()) {
            _, _, output in
            output.fill(0) { _ in 0.5 }
        }
        let input = try await taker.receiver("in", channels: .mono, isMonitoring: true, state: ()) { _, _, _ in }
        let source = try await taker.connect("Giver", to: input).source
        try await input.setVolume(0.25, for: source)
        try await input.setContext("a context", for: source)
        try await input.setTag(5, for: source)
        try await input.setTitle("A title")
        for round in 1...3 {
            try await eventually("sound") { input.mixMeter.peak > 0 }
            let cycles = try await input.statistics.cycles
            try await daemon.kill()
            try await eventually("the interruption") {
                isInterrupted(taker, by: .daemonGone) && isInterrupted(giver, by: .daemonGone)
            }
            try await eventually("the ports to be out of the graph") { input.graphID == nil && !input.isConnected }
            try daemon.startAgain()
            try await eventually("both to run, round \(round)") { taker.state == .running && giver.state == .running }
            try await eventually("the connection") { input.isConnected && output.isConnected }
            try await eventually("sound again") {
                try await input.statistics.cycles > cycles && input.mixMeter.peak > 0
            }
            // The daemon reports it after the link.
            try await eventually("the latency") { try await input.sources.map(\.latency.frames) == [7] }
            let sources = try await input.sources
            XCTAssertEqual(sources.map(\.level.volume), [0.25])
            XCTAssertEqual(sources.map(\.isFromLiveSource), [true])
            XCTAssertEqual(sources.map { $0.context as? String }, ["a context"])
            XCTAssertEqual(sources.map(\.tag), [5])
            let title = try await input.title
            XCTAssertEqual(title, "A title")
        }
        await giver.close()
        await taker.close()
        XCTAssertEqual(taker.state.reason?.kind, .closedByApp)
    }

    func testAClientWaitsForItsDaemon() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        try await daemon.kill()
        let bus = try await BusClient.connect(
            as: "org.pipebus.early", name: "Early", remote: daemon.remote, waitsForDaemon: true)
        XCTAssertEqual(bus.state.reason?.kind, .notRunning)
        XCTAssertFalse(BusClient.isDaemonRunning(remote: daemon.remote))
        // All this is declared now and made later.
        let sender = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        let filter = try await bus.filter("fx", inputs: .mono, state: ()) { _, _, _, _ in }
        let input = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        try await sender.setTitle("Early bird")
        try await sender.setLatency(64)
        try await filter.setBypassed(true)
        try await input.setMonitoring(true)
        let state = try await sender.state
        let sources = try await input.sources
        XCTAssertFalse(state.isConnected)
        XCTAssertTrue(sources.isEmpty)
        XCTAssertTrue(filter.isBypassed)
        await assertThrows("a connect that may not wait") {
            try await bus.connect(sender, to: "Somebody", timeout: .milliseconds(10))
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .connectionLost, "\(error)")
        }
        async let connection = bus.connect(sender, to: "null-sink")
        try daemon.startAgain()
        _ = try await connection
        XCTAssertEqual(bus.state, .running)
        XCTAssertTrue(BusClient.isDaemonRunning(remote: daemon.remote))
        let ports = await bus.graph.ports.filter { $0.nodeName.hasPrefix("Early.") }
        XCTAssertEqual(ports.map(\.name), ["out", "fx", "in"])
        XCTAssertEqual(ports.map(\.title), ["Early bird", "Early fx", "Early in"])
        XCTAssertEqual(ports.map(\.isBypassed), [false, true, false])
        XCTAssertEqual(ports.map(\.isMonitoring), [false, false, true])
        XCTAssertEqual(sender.latency.frames, 64)
        await bus.close()
    }

    /// More apps have connected than the daemon has taken yet: a client waits for its turn, and does not end.
    func testAClientWaitsUntilTheDaemonTakesItsConnection() async throws {
        let daemon = try await startDaemon()
        daemon.signal(SIGSTOP)
        let queue = FullQueue(at: daemon.remote)
        let bus = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: daemon.remote, waitsForDaemon: true)
        XCTAssertEqual(bus.state.reason?.kind, .notResponding)
        queue.leave()
        daemon.signal(SIGCONT)
        try await eventually("the client to run") { bus.state == .running }
        await bus.close()
    }

    /// The names are those with which the connection was made.
    func testTheAppsNameMeansItsPortWithoutADaemonToo() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Test", remote: daemon.remote, allowsConnectionsToSelf: true)
        let output = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        let other = try await bus.sender("other", channels: .mono, state: ()) { _, _, _ in }
        let input = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        try await bus.connect("Test", to: "Test")
        try await bus.connect(other, to: input)
        try await daemon.kill()
        try await eventually("the interruption") { bus.state != .running }
        try await bus.disconnect("Test", from: "Test")
        try daemon.startAgain()
        try await eventually("the other connection") { input.isConnected && other.isConnected }
        let back = ContinuousClock.now
        try await eventually("some time to pass") { back.duration(to: .now) > .milliseconds(300) }
        XCTAssertFalse(output.isConnected)
        await bus.close()
    }

    /// A disconnect at any moment of a restart: if the call succeeds, the connection stays away, also one that is just being restored.
    func testWhatIsDisconnectedDuringARestartStaysAway() async throws {
        let daemon = try await startDaemon()
        let giver = try await BusClient.connect(
            as: "org.pipebus.giver", name: "Giver", remote: daemon.remote, allowsConnectionsToSelf: true)
        let taker = try await BusClient.connect(
            as: "org.pipebus.taker", name: "Taker", remote: daemon.remote, allowsConnectionsToSelf: true)
        let output = try await giver.sender("out", channels: .mono, state: ()) { _, _, _ in }
        let input = try await taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        var count = 0
        for round in 0..<15 {
            try await taker.connect("Giver", to: input, timeout: .seconds(20))
            async let restarted: Void = daemon.restart()
            let start = ContinuousClock.now
            try await eventually("another moment in each round") {
                start.duration(to: .now) > .milliseconds(8 * round)
            }
            let hasSucceeded = (try? await taker.disconnect("Giver", from: input)) != nil
            try await restarted
            try await eventually("both ports, round \(round)") {
                let graph = await taker.graph
                return taker.state == .running && giver.state == .running && input.graphID != nil
                    && output.graphID.map { graph.port($0) != nil } ?? false
            }
            if hasSucceeded {
                count += 1
                let back = ContinuousClock.now
                try await eventually("some time to pass") { back.duration(to: .now) > .milliseconds(300) }
                XCTAssertFalse(input.isConnected, "round \(round)")
            } else {
                try await eventually("the connection, round \(round)") { input.isConnected }
            }
            try? await taker.disconnect("Giver", from: input)
        }
        print("\(count) of 15 calls succeeded")
        XCTAssertGreaterThan(count, 0)
        await giver.close()
        await taker.close()
    }

    /// A connection waits for an app that has ended with the daemon, and is disconnected before the app is back.
    func testAConnectionThatWaitsForItsPortIsDisconnected() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let taker = try await BusClient.connect(as: "org.pipebus.taker", name: "Taker", remote: daemon.remote)
            let input = try await taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
            for isDisconnected in [true, false] {
                let giver = try await Peer.start("Giver", on: daemon, client: installation)
                try await giver.addSender("out", .constant(0.5))
                try await taker.connect("Giver.out", to: input)
                try await daemon.kill()
                giver.process.signal(SIGKILL)
                try await giver.process.waitForEnd()
                try await eventually("the interruption") { taker.state.reason?.kind == .daemonGone }
                try daemon.startAgain()
                try await eventually("the receiver") { taker.state == .running && input.graphID != nil }
                do {
                    try await taker.disconnect("Other.out", from: input)
                    XCTFail("there is no such port, and no such connection")
                } catch let error as PipeBusError { XCTAssertEqual(error.code, .unknownPort) }
                if isDisconnected { try await taker.disconnect("Giver.out", from: input) }
                let again = try await Peer.start("Giver", on: daemon, client: installation)
                try await again.addSender("out", .constant(0.5))
                try await eventually("its port") { await taker.graph.ports.contains { $0.nodeName == "Giver.out" } }
                let start = ContinuousClock.now
                try await eventually("time to pass") { start.duration(to: .now) > .milliseconds(500) }
                XCTAssertEqual(input.isConnected, !isDisconnected)
                try await again.close()
            }
            await taker.close()
        }
    }

    /// A daemon comes back without the module that makes nodes for clients, and later with it.
    func testAPortThatADaemonRefusesIsKeptForTheNextDaemon() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        let input = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let brief = try await bus.sender("brief", state: ()) { _, _, _ in }
        let notices = NoticeLog(bus.notices)
        let file = "\(daemon.directory)/daemon.conf"
        let configuration = try String(contentsOfFile: file, encoding: .utf8)
        let module = "{ name = libpipewire-module-client-node }"
        XCTAssertTrue(configuration.contains(module))
        try await daemon.kill()
        let poorer = configuration.replacingOccurrences(of: module, with: "")
        try poorer.write(toFile: file, atomically: true, encoding: .utf8)
        try daemon.startAgain()
        try await eventually("a notice") { notices.all.contains { $0.kind == .portNotRestored && $0.port == "in" } }
        XCTAssertEqual(bus.state, .running)
        XCTAssertNil(input.graphID)
        await brief.close()
        // A loop that never waits would take all of a processor's time.
        let (start, work) = (ContinuousClock.now, clock())
        try await eventually("some time to pass") { start.duration(to: .now) > .seconds(2) }
        XCTAssertLessThan(clock() - work, 1_000_000, "µs of processor time")
        try await daemon.kill()
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        try daemon.startAgain()
        try await eventually("the port") { input.graphID != nil && bus.state == .running }
        await bus.close()
    }

    func testOnlyARemovedPortIsMadeAgain() async throws {
        let daemon = try await startDaemon()
        let giver = try await BusClient.connect(
            as: "org.pipebus.giver", name: "Giver", remote: daemon.remote, allowsConnectionsToSelf: true)
        let taker = try await BusClient.connect(
            as: "org.pipebus.taker", name: "Taker", remote: daemon.remote, allowsConnectionsToSelf: true)
        _ = try await giver.sender("out", channels: .mono, state: ()) { _, _, _ in }
        let input = try await taker.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let second = try await taker.receiver("second", channels: .mono, state: ()) { _, _, _ in }
        try await taker.connect("Giver", to: input)
        try await taker.connect("Giver", to: second)
        let sources = try await input.sources
        let source = try XCTUnwrap(sources.first)
        try await input.setTag(5, for: source.id)
        try await input.setContext("a context", for: source.id)
        let old = try XCTUnwrap(input.graphID)
        let untouched = second.graphID
        let node = await taker.graph.port(old)?.nodeID ?? 0
        try await daemon.perform("pw-cli", "destroy", "\(node)")
        try await eventually("the port to be there again") { input.graphID != nil && input.graphID != old }
        try await eventually("its connection") { input.isConnected }
        XCTAssertEqual(second.graphID, untouched)
        XCTAssertTrue(second.isConnected)
        XCTAssertEqual(taker.state, .running)
        let notices = await taker.notices.first { $0.kind == .portRestored }
        XCTAssertEqual(notices?.port, "in")
        try await eventually("the app's values for the source") {
            let sources = try await input.sources
            return sources.map(\.tag) == [5] && sources.map { $0.context as? String } == ["a context"]
        }
        await giver.close()
        await taker.close()
    }

    func testAClientThatIsRemovedEnds() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        _ = try await bus.sender("out", state: ()) { _, _, _ in }
        try await daemon.removeClient(named: "App")
        var states: [BusClient.State] = []
        for await state in bus.stateUpdates { states.append(state) }
        XCTAssertEqual(bus.state.reason?.kind, .removed)
        guard case .closed = states.last else { return XCTFail("\(states)") }
        XCTAssertFalse(states.contains { if case .interrupted = $0 { true } else { false } }, "\(states)")
        await bus.close()
        await bus.close()
    }

    private func isInterrupted(_ bus: BusClient, by kind: StateReason.Kind) -> Bool {
        guard case .interrupted(let reason) = bus.state else { return false }
        return reason.kind == kind
    }
}
