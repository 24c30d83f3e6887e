// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Another program destroys a node right after a connection was made again, so that the connection is younger than a second. It
/// had lasted before, and both ends know.
final class InterruptedTwiceTests: DaemonTestCase {
    private enum Maker: CaseIterable { case giver, taker, patchbay }

    private struct Scene {
        let daemon: HeadlessPipeWire
        let buses: [BusClient]

        static func start(_ maker: Maker, on daemon: HeadlessPipeWire) async throws -> Scene {
            var buses: [BusClient] = []
            for name in ["Giver", "Taker", "Bay"] {
                buses.append(
                    try await BusClient.connect(
                        as: "org.pipebus.\(name)", name: name, remote: daemon.remote, allowsConnectionsToSelf: true))
            }
            _ = try await buses[0].sender("out", state: ()) { _, _, _ in }
            _ = try await buses[1].receiver("in", state: ()) { _, _, _ in }
            let scene = Scene(daemon: daemon, buses: buses)
            switch maker {
            case .giver: try await buses[0].connect("Giver.out", to: "Taker.in")
            case .taker: try await buses[1].connect("Giver.out", to: "Taker.in")
            case .patchbay:
                try await daemon.perform("pw-link", "Giver.out:output_FL", "Taker.in:input_1_FL")
                try await daemon.perform("pw-link", "Giver.out:output_FR", "Taker.in:input_1_FR")
            }
            try await scene.waitUntilConnected()
            let connected = ContinuousClock.now
            // Younger connections of others are not made again.
            try await eventually("some time to pass") { connected.duration(to: .now) > .milliseconds(1500) }
            return scene
        }

        func waitUntilConnected() async throws {
            try await eventually("both links") { await links() == 2 }
        }

        /// By the observer's graph: it sees both apps alike.
        func links() async -> Int {
            let graph = await buses[2].graph
            guard let source = graph.ports.first(where: { $0.nodeName == "Giver.out" }),
                let destination = graph.ports.first(where: { $0.nodeName == "Taker.in" })
            else { return 0 }
            return graph.connection(from: source.id, to: destination.id)?.links.count ?? 0
        }

        /// The inputs of the receiver that have a link.
        func inputs() async -> [Int] {
            let graph = await buses[2].graph
            return graph.connections.flatMap { $0.links.map(\.input) }.sorted()
        }

        private func id(_ name: String) async -> GraphPort.ID? {
            await buses[2].graph.ports.first { $0.nodeName == name }?.id
        }

        func destroyNode(_ name: String) async throws {
            let old = await id(name)
            try await daemon.destroyNode(named: name)
            try await eventually("another node") { await id(name).map { $0 != old } ?? false }
        }

        func close() async { for bus in buses { await bus.close() } }
    }

    private func check(_ maker: Maker, _ interrupt: (Scene) async throws -> Void) async throws {
        for installation in PipeWireInstallation.all {
            for name in ["Giver.out", "Taker.in"] {
                let scene = try await Scene.start(maker, on: startDaemon(installation: installation))
                for _ in 1...2 {
                    try await interrupt(scene)
                    try await scene.waitUntilConnected()
                    try await scene.destroyNode(name)
                    try await scene.waitUntilConnected()
                }
                await scene.close()
            }
        }
    }

    private func restart(_ scene: Scene) async throws { try await scene.daemon.restart() }

    func testTheSourcesAppHasConnectedThem() async throws { try await check(.giver, restart) }
    func testTheReceiversAppHasConnectedThem() async throws { try await check(.taker, restart) }
    func testAnotherProgramHasConnectedThem() async throws { try await check(.patchbay, restart) }

    func testOneNodeAfterTheOther() async throws {
        try await check(.taker) { scene in
            try await scene.destroyNode("Taker.in")
            try await scene.waitUntilConnected()
            try await scene.destroyNode("Giver.out")
        }
    }

    /// A connection of which some links are there is made whole.
    func testWhileItIsBeingMade() async throws {
        for maker in Maker.allCases {
            for installation in PipeWireInstallation.all {
                let scene = try await Scene.start(maker, on: startDaemon(installation: installation))
                for round in 1...12 {
                    try await scene.daemon.restart()
                    let start = ContinuousClock.now
                    try await eventually("a moment at which it is being made") {
                        if round.isMultiple(of: 3) { return await scene.links() > 0 }
                        return start.duration(to: .now) > .milliseconds(15 * round)
                    }
                    try await scene.destroyNode(round.isMultiple(of: 2) ? "Giver.out" : "Taker.in")
                    try await scene.waitUntilConnected()
                }
                await scene.close()
            }
        }
    }

    /// The source's app makes the connection again, and the receiver's app those of other sources: both may take one lane.
    func testTheLaneIsTakenAtTheSameMoment() async throws {
        for installation in PipeWireInstallation.all {
            let scene = try await Scene.start(.giver, on: startDaemon(installation: installation))
            var others: [BusClient] = []
            for name in ["One", "Two", "Three"] {
                let bus = try await BusClient.connect(
                    as: "org.pipebus.\(name)", name: name, remote: scene.daemon.remote, allowsConnectionsToSelf: true)
                _ = try await bus.sender("out", state: ()) { _, _, _ in }
                try await scene.buses[1].connect("\(name).out", to: "Taker.in")
                others.append(bus)
            }
            for _ in 1...15 {
                try await scene.destroyNode("Giver.out")
                try await scene.waitUntilConnected()
                try await scene.daemon.restart()
                try await eventually("all links, each on a lane of its own") { await scene.inputs() == Array(0..<8) }
            }
            for bus in others { await bus.close() }
            await scene.close()
        }
    }
}
