// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Clients that do as much as they can, as fast as they can: apps stay reachable, do not grow, and come back.
///
/// Each test prints what it measured. Times depend on the machine and are not asserted.
final class HostileClientTests: DaemonTestCase {
    private struct Apps {
        let giver: BusClient
        let taker: BusClient
        let output: SenderPort
        let input: ReceiverPort

        static func start(on daemon: HeadlessPipeWire) async throws -> Apps {
            let giver = try await BusClient.connect(
                as: "org.pipebus.giver", name: "Giver", remote: daemon.remote, allowsConnectionsToSelf: true)
            let taker = try await BusClient.connect(
                as: "org.pipebus.taker", name: "Taker", remote: daemon.remote, allowsConnectionsToSelf: true)
            let output = try await giver.sender("out", state: ()) { _, _, _ in }
            let input = try await taker.receiver("in", lanes: 16, state: ()) { _, _, _ in }
            return Apps(giver: giver, taker: taker, output: output, input: input)
        }

        func close() async {
            await giver.close()
            await taker.close()
        }
    }

    /// Watches an app during three floods. What has arrived and is not yet read is kept, and that memory is used again.
    private func endure(
        _ what: String, _ bus: BusClient, roundTrip: () async throws -> Void, _ flood: () async throws -> Int
    ) async throws {
        for limit in [60_000, 30_000, 15_000] {
            try await endure(what, bus, growingBy: limit, roundTrip: roundTrip, flood)
        }
    }

    /// Watches an app while something goes on, and until a round trip of its own is over.
    private func endure(
        _ what: String, _ bus: BusClient, growingBy kilobytes: Int, roundTrip: () async throws -> Void,
        _ flood: () async throws -> Int
    ) async throws {
        let before = try ProcessFigures()
        let watch = CallWatch { _ = await bus.graph }
        let start = ContinuousClock.now
        let count = try await flood()
        let end = ContinuousClock.now
        // A call gives up after five seconds.
        try await eventually("a call to be answered", within: .seconds(20)) { (try? await roundTrip()) != nil }
        let wait = end.duration(to: .now)
        let (calls, longest) = watch.end()
        let after = try ProcessFigures()
        let growth = after.memory - before.memory
        print(
            "\(what): \(count) in \(start.duration(to: end)); longest of \(calls) calls \(longest), a round trip afterwards "
                + "\(wait); \(growth) kB and \(after.descriptors - before.descriptors) descriptors more")
        if !Sanitizer.isPresent { XCTAssertLessThan(growth, kilobytes, "\(what): kB") }
    }

    // MARK: Links

    func testAFloodOfLinksLeavesAReceiverReachable() async throws { try await floodReceiver(on: .chosen) }
    func testAFloodOfLinksLeavesAReceiverReachableOnANewerPipeWire() async throws {
        try await floodReceiver(on: .newer())
    }

    private func floodReceiver(on installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let apps = try await Apps.start(on: daemon)
        let hostile = try await HostileClient.links(
            from: apps.output.nodeName, to: apps.input.nodeName, on: daemon)
        // Once: libpipewire leaves descriptors behind where a link is gone before the app has heard of it.
        try await endure("links", apps.taker, growingBy: 60_000) {
            try await apps.input.setMonitoring(true)
        } _: {
            try await hostile.flood(for: .seconds(1))
        }
        try await eventually("both to run", within: .seconds(60)) {
            apps.giver.state == .running && apps.taker.state == .running
        }
        try await eventually("a connection") {
            (try? await apps.taker.connect(apps.output.nodeName, to: apps.input)) != nil
        }
        try await eventually("its source") { try await apps.input.sources.count == 1 }
        await apps.close()
    }

    /// libpipewire breaks a connection that has more than a thousand descriptors on their way.
    func testASenderWhoseConnectionsAreBrokenIsNeverGivenUp() async throws {
        let daemon = try await startDaemon()
        let apps = try await Apps.start(on: daemon)
        let states = StateLog(apps.giver)
        let hostile = try await HostileClient.links(
            from: apps.output.nodeName, to: apps.input.nodeName, on: daemon)
        // Longer than the five seconds after which clients once gave up.
        let count = try await hostile.flood(for: .seconds(8))
        print("\(count) links; the sender's states: \(states.kinds)")
        // A call of the sender's app works as soon as there is a session, though the state may say interrupted for a while.
        let connection = try await apps.giver.connect(apps.output, to: apps.input.nodeName, timeout: .seconds(60))
        try await apps.giver.disconnect(apps.output, from: apps.input.nodeName)
        try await eventually("the connection to go") {
            await !apps.giver.graph.connections.contains { $0.source == connection.source }
        }
        try await eventually("the sender to run", within: .seconds(30)) { apps.giver.state == .running }
        XCTAssertLessThan(states.all.count, 20, "\(states.kinds)")
        // libpipewire leaves descriptors open, and closes them with the connection.
        let expected: Set<String> = ["running", "failed", "outOfDescriptors"]
        XCTAssertTrue(expected.isSuperset(of: states.kinds), "\(states.kinds)")
        try await eventually("a connection", within: .seconds(30)) {
            (try? await apps.taker.connect(apps.output.nodeName, to: apps.input)) != nil
        }
        await apps.close()
    }

    // MARK: A socket that is no daemon's

    func testAListenerThatClosesAtOnceIsTriedAgainAndAgain() async throws {
        let socket = try DaemonSocket()
        let listener = try ClosingListener(at: socket.path)
        let bus = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: socket.path, waitsForDaemon: true)
        let states = StateLog(bus)
        // Longer than the five seconds after which clients once gave up.
        let start = ContinuousClock.now
        try await eventually("time to pass", within: .seconds(30)) { start.duration(to: .now) > .seconds(7) }
        XCTAssertEqual(states.all.count, 1, "\(states.kinds)")
        XCTAssertGreaterThan(listener.count, 5, "connections")
        XCTAssertLessThan(listener.count, 100, "connections, no busy loop")
        listener.close()
        try socket.lead(to: try await startDaemon())
        try await eventually("the client to run") { bus.state == .running }
        try await eventually("the state to be told") { states.all.count >= 2 }
        XCTAssertEqual(states.all.count, 2, "\(states.kinds)")
        await bus.close()
    }

    // MARK: Requests

    func testAFloodOfRequestsThatAreRefused() async throws {
        for installation in PipeWireInstallation.all {
            try await floodRequests(on: installation) { _ in ("nonsense#", "#") }
        }
    }

    func testAFloodOfRequestsThatAreTaken() async throws {
        for installation in PipeWireInstallation.all {
            try await floodRequests(on: installation) { source in ("level/in/\(source.serial)/volume", "0.#") }
        }
    }

    /// Props reach the app over its node, and not over the registry as links do.
    func testAFloodOfProperties() async throws {
        for installation in PipeWireInstallation.all { try await floodProperties(on: installation) }
    }

    private func floodProperties(on installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let apps = try await Apps.start(on: daemon)
        _ = try await apps.taker.filter("fx", state: ()) { _, _, _, _ in }
        let hostile = try await HostileClient.properties(of: "Taker.fx", on: daemon)
        try await endure("properties", apps.taker) {
            try await apps.input.setMonitoring(true)
        } _: {
            try await hostile.flood(for: .seconds(1))
        }
        XCTAssertEqual(apps.taker.state, .running)
        await apps.close()
    }

    /// - Parameter request: makes the key and the value from the source.
    private func floodRequests(
        on installation: PipeWireInstallation, _ request: (GraphPort.ID) -> (key: String, value: String)
    ) async throws {
        let daemon = try await startDaemon(installation: installation)
        let apps = try await Apps.start(on: daemon)
        let notices = NoticeLog(apps.taker.notices, withoutPort: true)
        try await apps.taker.connect(apps.output.nodeName, to: apps.input)
        let (key, value) = request(try XCTUnwrap(apps.output.graphID))
        let hostile = try await HostileClient.requests(
            of: "pipebus.org.pipebus.taker", key: key, value: value, on: daemon)
        try await endure("requests of \(key)", apps.taker) {
            try await apps.input.setMonitoring(true)
        } _: {
            try await hostile.flood(for: .seconds(1))
        }
        // The first request after the flood tells how many were dropped, if that was not told before.
        try await hostile.flood(for: .milliseconds(1))
        try await eventually("a notice about those that were dropped") {
            notices.all.contains { $0.message.contains("dropped") }
        }
        XCTAssertLessThan(notices.all.count, 200)
        XCTAssertEqual(Set(notices.all.map(\.kind)), [.requestRefused])
        XCTAssertEqual(apps.taker.state, .running)
        await apps.close()
    }
}
