// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Several programs, or two calls of one, connect the same ports at the same time: there is one connection, and all of it.
final class ConnectedTwiceTests: DaemonTestCase {
    private struct Scene {
        let daemon: HeadlessPipeWire
        let giver: BusClient
        let taker: BusClient
        let receiver: ReceiverPort
        let keepers: [BusClient]

        /// The lanes of the links, once there are any; a while later, when all that was begun is done.
        func lanes() async throws -> [Int] {
            try await eventually("sound") { try await !receiver.sources.isEmpty }
            let cycles = try await receiver.statistics.cycles
            try await eventually("cycles") { try await receiver.statistics.cycles > cycles + 40 }
            let graph = await taker.graph
            return graph.connections.filter { $0.destination == receiver.graphID }.flatMap { $0.links.map(\.input) }
                .sorted()
        }

        func port(_ name: String) async -> GraphPort.ID? {
            await taker.graph.ports.first { $0.nodeName == name }?.id
        }

        func close() async {
            for bus in keepers + [giver, taker] { await bus.close() }
        }
    }

    private enum Keeper { case giver, taker, patchbay }

    private func start(_ keepers: [Keeper], on installation: PipeWireInstallation) async throws -> Scene {
        let daemon = try await startDaemon(installation: installation)
        let giver = try await BusClient.connect(
            as: "org.pipebus.giver", name: "Giver", remote: daemon.remote, allowsConnectionsToSelf: true)
        let taker = try await BusClient.connect(
            as: "org.pipebus.taker", name: "Taker", remote: daemon.remote, allowsConnectionsToSelf: true)
        _ = try await giver.sender("out", channels: .mono, state: ()) { _, _, _ in }
        let receiver = try await taker.receiver("in", channels: .stereo, state: ()) { _, _, _ in }
        var buses: [BusClient] = []
        for keeper in keepers {
            switch keeper {
            case .giver: keep(giver)
            case .taker: keep(taker)
            case .patchbay:
                let bus = try await BusClient.connect(
                    as: "org.pipebus.bay", name: "Bay", remote: daemon.remote, allowsConnectionsToSelf: true)
                keep(bus)
                buses.append(bus)
            }
        }
        return Scene(daemon: daemon, giver: giver, taker: taker, receiver: receiver, keepers: buses)
    }

    private func keep(_ bus: BusClient) {
        Task { @concurrent in await keepConnected("Giver.out", to: "Taker.in", by: bus) }
    }

    private func check(_ keepers: [Keeper]) async throws {
        for installation in PipeWireInstallation.all {
            let scene = try await start(keepers, on: installation)
            for round in 1...5 {
                let lanes = try await scene.lanes()
                XCTAssertEqual(lanes, [lanes.first ?? 0, (lanes.first ?? 0) + 1], "restart \(round)")
                try await scene.daemon.restart()
            }
            for round in 1...4 {
                let lanes = try await scene.lanes()
                XCTAssertEqual(lanes, [lanes.first ?? 0, (lanes.first ?? 0) + 1], "destruction \(round)")
                let name = round.isMultiple(of: 2) ? "Giver.out" : "Taker.in"
                let old = await scene.port(name)
                try await scene.daemon.destroyNode(named: name)
                try await eventually("another node") {
                    let new = await scene.port(name)
                    return new != nil && new != old
                }
            }
            await scene.close()
        }
    }

    func testTheSourcesApp() async throws { try await check([.giver]) }
    func testTheReceiversApp() async throws { try await check([.taker]) }
    func testBothApps() async throws { try await check([.giver, .taker]) }
    func testAPatchbay() async throws { try await check([.patchbay]) }
    func testTwoPatchbaysAndBothApps() async throws { try await check([.patchbay, .patchbay, .giver, .taker]) }
}
