// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Connections that other programs, and the apps of the other ports, have made: they are back after an interruption, once, and
/// whoever removes one has the last word.
final class ForeignReconnectTests: DaemonTestCase {
    /// An app for the source, one for the destination, and one that connects them.
    private func apps(on daemon: HeadlessPipeWire) async throws -> [BusClient] {
        var buses: [BusClient] = []
        for name in ["Giver", "Taker", "Patchbay"] {
            buses.append(
                try await BusClient.connect(
                    as: "org.pipebus.\(name)", name: name, remote: daemon.remote, allowsConnectionsToSelf: true))
        }
        return buses
    }

    /// Nothing tells when a connection has lasted for long enough, or that one is not made.
    private func pass(_ time: Duration) async throws {
        let start = ContinuousClock.now
        try await eventually("time to pass") { start.duration(to: .now) > time }
    }

    func testConnectionsOfOthersAreBackOnce() async throws { try await restartTwice(.chosen) }

    func testConnectionsOfOthersAreBackOnceOnANewerPipeWire() async throws { try await restartTwice(.newer()) }

    private func restartTwice(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true), installation: installation)
        let bus = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        let other = try await BusClient.connect(
            as: "org.pipebus.app2", name: "Switched off", remote: daemon.remote, restoresForeignConnections: false)
        let plain = try await other.sender("out", state: ()) { _, _, _ in }
        for node in ["App.out", "Switched off.out"] {
            // Crossed, as another program may link them.
            try await daemon.perform("pw-link", "\(node):output_FL", "null-sink:playback_FR")
            try await daemon.perform("pw-link", "\(node):output_FR", "null-sink:playback_FL")
        }
        try await eventually("both connections") { sender.isFullyConnected && plain.isFullyConnected }
        // A connection is restored only if it has lasted for a moment.
        try await pass(.milliseconds(1200))
        try await daemon.restart()
        try await eventually("the connection to be back") { sender.isFullyConnected }
        let graph = await bus.graph
        let connection = try XCTUnwrap(graph.connections.first { $0.source == sender.graphID })
        XCTAssertEqual(connection.links.map { [$0.output, $0.input] }, [[0, 1], [1, 0]])
        XCTAssertFalse(plain.isConnected)
        // Another program removes it: it stays away.
        try await daemon.perform("pw-link", "-d", "App.out:output_FL", "null-sink:playback_FR")
        try await daemon.perform("pw-link", "-d", "App.out:output_FR", "null-sink:playback_FL")
        try await eventually("it to be gone") { !sender.isConnected }
        // So that the app knows that the daemon goes on without it.
        _ = try await GraphDump.take(daemon, client: installation)
        try await daemon.restart()
        try await eventually("the client to run") { sender.graphID != nil && bus.state == .running }
        try await bus.connect(plain.nodeName, to: "null-sink")
        XCTAssertFalse(sender.isConnected)
        await bus.close()
        await other.close()
    }

    func testAYoungConnectionStaysAway() async throws { try await restartSoon(.chosen) }

    func testAYoungConnectionStaysAwayOnANewerPipeWire() async throws { try await restartSoon(.newer()) }

    /// One connection has lasted for long enough, and is the sign that connections are made again; another one has not.
    private func restartSoon(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true), installation: installation)
        let bus = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        let old = try await bus.sender("old", channels: .mono, state: ()) { _, _, _ in }
        try await daemon.perform("pw-link", "App.old:output_MONO", "null-sink:playback_FL")
        try await eventually("the old connection") { old.isFullyConnected }
        var young: SenderPort?
        // On a busy machine a connection may be too old before the daemon is gone; then another port has another try.
        for attempt in 1...10 where young == nil {
            let port = try await bus.sender("young\(attempt)", channels: .mono, state: ()) { _, _, _ in }
            try await pass(.milliseconds(1200))
            let start = ContinuousClock.now
            try await daemon.perform("pw-link", "\(port.nodeName):output_MONO", "null-sink:playback_FR")
            try await eventually("the young connection") { port.isFullyConnected }
            try await daemon.kill()
            try await eventually("the interruption") { bus.state.reason?.kind == .daemonGone }
            let age = start.duration(to: .now)
            try await eventually("the ports to be out of the graph") { old.graphID == nil && !old.isConnected }
            try daemon.startAgain()
            try await eventually("the old connection to be back") { old.isFullyConnected }
            if age < .seconds(1) { young = port } else { await port.close() }
        }
        let port = try XCTUnwrap(young, "no connection was young enough")
        try await eventually("the port") { port.graphID != nil && bus.state == .running }
        // Longer than the second for which a restored connection may be left to its maker.
        try await pass(.milliseconds(1500))
        XCTAssertFalse(port.isConnected)
        let connections = await bus.graph.connections
        XCTAssertEqual(connections.map(\.source), [old.graphID].compactMap { $0 })
        await bus.close()
    }

    func testAConnectionOfAThirdAppThatLivesOnIsMadeOnceOnly() async throws {
        let daemon = try await startDaemon()
        let buses = try await apps(on: daemon)
        for name in ["a", "b", "c"] { _ = try await buses[0].sender(name, state: ()) { _, _, _ in } }
        let input = try await buses[1].receiver("in", state: ()) { _, _, _ in }
        for name in ["a", "b", "c"] { try await buses[2].connect("Giver.\(name)", to: input.nodeName) }
        try await pass(.milliseconds(1200))
        try await daemon.restart()
        try await eventually("the connections") { try await input.sources.count == 3 }
        // Longer than a second, in which the receiver's app leaves it to the patchbay.
        try await pass(.milliseconds(1500))
        let sources = try await input.sources
        XCTAssertEqual(sources.map(\.port.name).sorted(), ["a", "b", "c"])
        let links = await buses[1].graph.connections.flatMap(\.links)
        XCTAssertEqual(links.count, 6)
        for bus in buses { await bus.close() }
    }

    func testAConnectionThatItsMakerMadeAgainAndRemovedStaysAway() async throws {
        let daemon = try await startDaemon()
        let buses = try await apps(on: daemon)
        _ = try await buses[0].sender("out", state: ()) { _, _, _ in }
        let input = try await buses[1].receiver("in", state: ()) { _, _, _ in }
        try await buses[2].connect("Giver", to: "Taker")
        try await pass(.milliseconds(1200))
        try await daemon.restart()
        try await eventually("the connection") { try await input.sources.count == 1 }
        try await eventually("the patchbay to see it") { await buses[2].graph.connections.count == 1 }
        try await buses[2].disconnect("Giver", from: "Taker")
        // The receiver's app leaves it to the patchbay for a second.
        try await pass(.milliseconds(1500))
        let connections = await buses[2].graph.connections
        XCTAssertEqual(connections, [])
        for bus in buses { await bus.close() }
    }

    func testAPortThatIsRemovedHasTheConnectionsOfOthersAgain() async throws { try await removePorts(of: .chosen) }

    func testAPortThatIsRemovedFromANewerDaemonHasTheConnectionsOfOthersAgain() async throws {
        try await removePorts(of: .newer())
    }

    private func removePorts(of installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let buses = try await apps(on: daemon)
        let output = try await buses[0].sender("out", state: ()) { _, _, _ in }
        let input = try await buses[1].receiver("in", state: ()) { _, _, _ in }
        try await buses[2].connect("Giver", to: "Taker")
        for port in [output, input, output, input] as [LocalPort] {
            try await pass(.milliseconds(1200))
            let old = port.graphID
            let graph = await buses[2].graph
            let node = try XCTUnwrap(old.flatMap { graph.port($0)?.nodeID })
            try await daemon.perform("pw-cli", "destroy", "\(node)")
            try await eventually("\(port.name) to be there again") { port.graphID != nil && port.graphID != old }
            try await eventually("its connection") { output.isFullyConnected && input.isConnected }
        }
        for bus in buses { await bus.close() }
    }

    func testARemovedConnectionStaysAwayWhoeverHadMadeItAgain() async throws { try await removeRestored(on: .chosen) }

    func testARemovedConnectionStaysAwayOnANewerPipeWire() async throws { try await removeRestored(on: .newer()) }

    /// The receiver's app makes a connection. The source's port is lost, and its app makes it again. Somebody removes it: then
    /// neither app makes it again after a restart.
    private func removeRestored(on installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let buses = try await apps(on: daemon)
        let output = try await buses[0].sender("out", state: ()) { _, _, _ in }
        let input = try await buses[1].receiver("in", state: ()) { _, _, _ in }
        try await buses[1].connect("Giver", to: input)
        try await pass(.milliseconds(1200))
        let old = output.graphID
        let graph = await buses[2].graph
        let node = try XCTUnwrap(old.flatMap { graph.port($0)?.nodeID })
        try await daemon.perform("pw-cli", "destroy", "\(node)")
        try await eventually("the port to be there again") { output.graphID != nil && output.graphID != old }
        try await eventually("its connection") { output.isFullyConnected && input.isConnected }
        try await pass(.milliseconds(1200))
        try await eventually("the patchbay to see it") { await buses[2].graph.connections.count == 1 }
        try await buses[2].disconnect("Giver", from: "Taker")
        try await pass(.milliseconds(1200))
        try await daemon.restart()
        try await eventually("the ports to be back") { output.graphID != nil && input.graphID != nil }
        try await pass(.milliseconds(1800))
        let connections = await buses[2].graph.connections
        XCTAssertEqual(connections, [])
        for bus in buses { await bus.close() }
    }

    func testTwoRestartsInARowLeaveTheConnectionsOfOthers() async throws {
        let daemon = try await startDaemon(.init(hasNullSink: true))
        let bus = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        let sender = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        try await daemon.perform("pw-link", "App.out:output_MONO", "null-sink:playback_FR")
        try await eventually("the connection") { sender.isFullyConnected }
        try await pass(.milliseconds(1200))
        for _ in 0..<3 {
            try await daemon.restart()
            try await eventually("the connection to be back") { sender.isFullyConnected }
        }
        await bus.close()
    }
}
