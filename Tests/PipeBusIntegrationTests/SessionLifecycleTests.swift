// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Sessions that start and end while calls of the app are under way.
final class SessionLifecycleTests: DaemonTestCase {
    private func clients(_ daemon: HeadlessPipeWire) async throws -> (givers: BusClient, taker: BusClient) {
        let givers = try await BusClient.connect(
            as: "org.pipebus.givers", name: "Givers", remote: daemon.remote, allowsConnectionsToSelf: true)
        let taker = try await BusClient.connect(
            as: "org.pipebus.taker", name: "Taker", remote: daemon.remote, allowsConnectionsToSelf: true)
        return (givers, taker)
    }

    private func sender(_ name: String, _ channels: ChannelLayout = .mono, of bus: BusClient) async throws -> SenderPort
    {
        try await bus.sender(name, channels: channels, state: ()) { _, _, _ in }
    }

    private func receiver(lanes: Int = 8, of bus: BusClient) async throws -> ReceiverPort {
        try await bus.receiver("in", channels: .mono, lanes: lanes, state: ()) { _, _, _ in }
    }

    private func sources(of port: ReceiverPort) async throws -> [String] {
        try await port.client.graph.sources(of: XCTUnwrap(port.graphID)).map(\.nodeName).sorted()
    }

    func testAfterALossTheReasonIsGiven() async throws {
        let daemon = try await startDaemon()
        let taker = try await clients(daemon).taker
        _ = try await sender("out", of: taker)
        try await daemon.removeClient(named: "Taker")
        _ = await taker.waitForSignal()
        for _ in 0..<2 {
            await assertThrows("a lost client") {
                try await taker.restartSession()
            } _: { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .connectionLost, "\(error)")
            }
        }
        await taker.close()
    }

    func testADaemonThatDoesNotAnswerLeavesNoHalfSession() async throws {
        let daemon = try await startDaemon()
        let taker = try await clients(daemon).taker
        let port = try await sender("out", of: taker)
        await taker.endSession()
        daemon.signal(SIGSTOP)
        await assertThrows("a stopped daemon") { try await taker.restartSession(timeout: .milliseconds(50)) }
        // It comes with the next session.
        _ = try await sender("more", of: taker)
        daemon.signal(SIGCONT)
        try await taker.restartSession()
        let names = await taker.graph.ports.map(\.name)
        XCTAssertEqual(names, ["out", "more"])
        XCTAssertNotNil(port.graphID)
        await taker.close()
    }

    func testManyCallsAtOnce() async throws {
        let daemon = try await startDaemon()
        for round in 0..<6 {
            let (givers, taker) = try await clients(daemon)
            let input = try await receiver(of: taker)
            try await taker.connect(sender("out", of: givers), to: input)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { try? await taker.restartSession() } }
                group.addTask { await taker.endSession() }
                if round.isMultiple(of: 2) { group.addTask { await taker.close() } }
            }
            if !round.isMultiple(of: 2) {
                try await taker.restartSession()
                let names = try await sources(of: input)
                XCTAssertEqual(names, ["Givers.out"])
            }
            await taker.close()
            try await eventually("nothing of it to be left") {
                await givers.graph.ports.allSatisfy { $0.name == "out" }
            }
            await givers.close()
        }
    }

    func testOneImpossibleConnectionKeepsNoOtherAway() async throws {
        let daemon = try await startDaemon()
        let (givers, taker) = try await clients(daemon)
        let input = try await receiver(of: taker)
        let first = try await sender("a", of: givers)
        try await taker.connect(first, to: input)
        for name in ["b", "c"] { try await taker.connect(sender(name, of: givers), to: input) }
        await taker.endSession()
        await first.close()
        _ = try await sender("a", .channels(3), of: givers)
        try await taker.restartSession()
        let notice = await taker.notices.first { $0.kind == .connectionNotRestored }
        XCTAssertNotNil(notice, "a connection that does not fit any more")
        var names = try await sources(of: input)
        XCTAssertEqual(names, ["Givers.b", "Givers.c"])
        // It is declared no more.
        try await taker.restartSession()
        names = try await sources(of: input)
        XCTAssertEqual(names, ["Givers.b", "Givers.c"])
        await taker.close()
        await givers.close()
    }

    func testAConnectionThatWasLeftOutGivesUpItsLane() async throws {
        let daemon = try await startDaemon()
        let (givers, taker) = try await clients(daemon)
        let input = try await receiver(lanes: 1, of: taker)
        let first = try await sender("a", of: givers)
        try await taker.connect(first, to: input)
        await taker.endSession()
        await first.close()
        try await taker.restartSession()
        try await taker.connect(sender("b", of: givers), to: input)
        _ = try await sender("a", of: givers)
        for _ in 0..<3 {
            try await taker.restartSession()
            let names = try await sources(of: input)
            XCTAssertEqual(names, ["Givers.b"])
        }
        await taker.close()
        await givers.close()
    }

    func testPortsOfOtherAppsWithOneNameAreToldApart() async throws {
        let daemon = try await startDaemon()
        let (givers, taker) = try await clients(daemon)
        let input = try await receiver(of: taker)
        var twins: [ForeignFilter] = []
        for _ in 0..<2 { twins.append(try ForeignFilter("twin", at: daemon.remote, latency: 0)) }
        try await eventually("the twins") { await taker.graph.ports.filter { $0.nodeName == "twin" }.count == 2 }
        let ports = await taker.graph.ports.filter { $0.nodeName == "twin" }
        for port in ports { try await taker.connect(port.id, to: input) }
        try await taker.restartSession()
        var names = try await sources(of: input)
        XCTAssertEqual(names, ["twin", "twin"])
        try await taker.disconnect(ports[1].id, from: input)
        try await taker.restartSession()
        names = try await sources(of: input)
        XCTAssertEqual(names, ["twin"])
        await taker.close()
        await givers.close()
        withExtendedLifetime(twins) {}
    }
}
