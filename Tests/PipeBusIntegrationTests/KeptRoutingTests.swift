// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A routing that a client keeps, at a daemon.
final class KeptRoutingTests: DaemonTestCase {
    private func client(_ name: String, at daemon: HeadlessPipeWire) async throws -> BusClient {
        let bus = try await BusClient.connect(
            as: "org.example.\(name.lowercased())", name: name, remote: daemon.remote, allowsConnectionsToSelf: true)
        addTeardownBlock { await bus.close() }
        return bus
    }

    private func sender(_ bus: BusClient, channels: ChannelLayout = .stereo) async throws -> SenderPort {
        try await bus.sender("out", channels: channels, state: ()) { _, _, _ in }
    }

    private func receiver(_ bus: BusClient, lanes: Int = 4) async throws -> ReceiverPort {
        try await bus.receiver("in", channels: .stereo, lanes: lanes, state: ()) { _, _, _ in }
    }

    /// From each app's "out" to "in" of B.
    private func preset(_ apps: String..., level: RoutingLevel? = nil) throws -> RoutingPreset {
        try RoutingPreset(
            connections: apps.map { app in
                RoutingConnection(
                    from: try PortMatcher(app: "org.example.\(app.lowercased())", node: "\(app).out"),
                    to: try PortMatcher(app: "org.example.b", node: "B.in"), level: level)
            })
    }

    private func wait(
        for what: String, of routing: KeptRouting, where isReached: (RoutingStatus.State) -> Bool
    ) async throws {
        try await eventually("\(what): \(routing.status)") { isReached(routing.status.connections[0].state) }
    }

    private func waitUntilMade(_ routing: KeptRouting) async throws {
        try await wait(for: "the connection", of: routing) { $0 == .connected(isMade: true) }
    }

    private func waitUntilConnected(_ routing: KeptRouting) async throws {
        try await wait(for: "the connection", of: routing) { if case .connected = $0 { true } else { false } }
    }

    private func waitUntilWaiting(_ routing: KeptRouting) async throws {
        try await wait(for: "its end", of: routing) { if case .waiting = $0 { true } else { false } }
    }

    private func failure(of routing: KeptRouting) async throws -> String {
        try await eventualResult("a failure") {
            if case .failed(let reason) = routing.status.connections[0].state { reason } else { nil }
        }
    }

    func testItEndsWithItsReleaseAndTheConnectionStays() async throws {
        let daemon = try await startDaemon()
        let (a, b, keeper) = (
            try await client("A", at: daemon), try await client("B", at: daemon), try await client("K", at: daemon)
        )
        let routing = try await keeper.keep(try preset("A"))
        guard case .waiting(let missing) = routing.status.connections[0].state else {
            return XCTFail("\(routing.status)")
        }
        XCTAssertEqual(missing, ["A.out of org.example.a", "B.in of org.example.b"])
        let (out, input) = (try await sender(a), try await receiver(b))
        try await waitUntilMade(routing)
        let reader = Task { for await _ in routing.statusUpdates {} }
        await routing.release()
        await routing.release()
        // Its sequences end.
        await reader.value
        let sources = try await input.sources.map(\.id)
        XCTAssertEqual(sources, [out.id])
        await keeper.close()
        await out.close()
        try await eventually("the sender to go") { try await input.sources.isEmpty }
        _ = try await sender(a)
        // A round trip later nobody has made it.
        try await eventually("the sender to be back") { await b.graph.ports.contains { $0.nodeName == "A.out" } }
        let again = await b.graph.connections
        XCTAssertEqual(again, [])
    }

    /// The client's end ends the routing, and connections that do not linger.
    func testAClosedClientKeepsNothing() async throws {
        let daemon = try await startDaemon()
        let (a, b, keeper) = (
            try await client("A", at: daemon), try await client("B", at: daemon), try await client("K", at: daemon)
        )
        _ = try await sender(a)
        let input = try await receiver(b)
        let routing = try await keeper.keep(try preset("A"), lingers: false)
        try await waitUntilMade(routing)
        let reader = Task { for await _ in routing.statusUpdates {} }
        await keeper.close()
        await reader.value
        try await eventually("the connection to go") { try await input.sources.isEmpty }
        await routing.release()
        do {
            _ = try await keeper.keep(try preset("A"))
            XCTFail("a closed client keeps a routing")
        } catch let error as PipeBusError { XCTAssertEqual(error.code, .closed) }
    }

    /// It is closed while links are being made.
    func testAClientThatIsClosedAtAnyTime() async throws {
        let daemon = try await startDaemon()
        let (a, b) = (try await client("A", at: daemon), try await client("B", at: daemon))
        let (_, input) = (try await sender(a), try await receiver(b))
        for round in 0..<20 {
            let keeper = try await client("K", at: daemon)
            let routing = try await keeper.keep(try preset("A"), lingers: false)
            for _ in 0..<round { await Task.yield() }
            if round % 2 == 0 { await routing.release() }
            await keeper.close()
            try await eventually("the connection to go") { try await input.sources.isEmpty }
        }
    }

    func testTheEndOfTheDaemonIsWaitedFor() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let (a, b, keeper) = (
                try await client("A", at: daemon), try await client("B", at: daemon), try await client("K", at: daemon)
            )
            let (out, input) = (try await sender(a), try await receiver(b))
            let routing = try await keeper.keep(try preset("A", level: RoutingLevel(volume: 0.25)))
            try await waitUntilMade(routing)
            for _ in 0..<3 {
                try await eventually("the level") { routing.status.isWhole }
                try await daemon.kill()
                try await waitUntilWaiting(routing)
                XCTAssertFalse(routing.status.isSettled)
                try daemon.startAgain()
                // Whoever of the three apps is first makes it.
                try await waitUntilConnected(routing)
                try await eventually("one connection") {
                    let sources = try await input.sources
                    return sources.map(\.id) == [out.id] && sources.first?.level.volume == 0.25
                }
                let links = await b.graph.connections.map(\.links.count)
                XCTAssertEqual(links, [2])
            }
        }
    }

    /// Each takes a lane, and none takes two, whoever is first.
    func testTwoKeepersMakeOneConnection() async throws {
        let daemon = try await startDaemon()
        let (a, b) = (try await client("A", at: daemon), try await client("B", at: daemon))
        let input = try await receiver(b)
        let keepers = [try await client("K", at: daemon), try await client("L", at: daemon)]
        var routings: [KeptRouting] = []
        for keeper in keepers { routings.append(try await keeper.keep(try preset("A"))) }
        for _ in 0..<20 {
            let out = try await sender(a)
            for routing in routings {
                try await waitUntilConnected(routing)
            }
            let links = await b.graph.connections.map(\.links.count)
            XCTAssertEqual(links, [2])
            let sources = try await input.sources.map(\.id)
            XCTAssertEqual(sources, [out.id])
            await out.close()
            for routing in routings {
                try await waitUntilWaiting(routing)
            }
        }
    }

    func testAFailureIsSaidAndTriedAgain() async throws {
        let daemon = try await startDaemon()
        let (a, c, b, keeper) = (
            try await client("A", at: daemon), try await client("C", at: daemon), try await client("B", at: daemon),
            try await client("K", at: daemon)
        )
        let input = try await receiver(b, lanes: 1)
        let first = try await sender(c)
        try await b.connect(first.nodeName, to: input)
        _ = try await sender(a)
        let routing = try await keeper.keep(try preset("A"))
        let reason = try await failure(of: routing)
        XCTAssertTrue(reason.contains("only lane of B in has a source"), reason)
        XCTAssertTrue(routing.status.isSettled)
        XCTAssertFalse(routing.status.isWhole)
        await first.close()
        try await waitUntilMade(routing)

        // Five channels do not go to two, and those of the next port do.
        let wide = try await client("D", at: daemon)
        let five = try await sender(wide, channels: .channels(5))
        let second = try await keeper.keep(
            try RoutingPreset(connections: [
                RoutingConnection(
                    from: try PortMatcher(app: "org.example.d", node: "D.out"),
                    to: try PortMatcher(app: "org.example.b", node: "B.in"))
            ]))
        let mismatch = try await failure(of: second)
        XCTAssertTrue(mismatch.contains("gives 5 channels"), mismatch)

        await five.close()
        await routing.release()
        try await b.disconnect("A.out", from: input)
        _ = try await sender(wide)
        try await waitUntilMade(second)
    }

    /// A JACK app has its ports on one node, and no application id.
    func testAJACKAppIsKnownAgain() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let b = try await client("B", at: daemon)
            let input = try await receiver(b)
            var jack = try daemon.run("pw-jack", ["jack_metro", "--bpm", "200"])
            try await b.connect("metro", to: input)
            let captured = await b.graph.connections
            XCTAssertEqual(captured.count, 1)
            let preset = try await b.graph.routing().preset
            XCTAssertEqual(preset.connections.first?.source.node?.text, "metro")
            let routing = try await b.keep(preset)
            for _ in 0..<3 {
                jack.signal(SIGKILL)
                try await jack.waitForEnd()
                try await waitUntilWaiting(routing)
                jack = try daemon.run("pw-jack", ["jack_metro", "--bpm", "200"])
                try await waitUntilMade(routing)
            }
            let links = await b.graph.connections.map(\.links.count)
            XCTAssertEqual(links, [2])
        }
    }
}
