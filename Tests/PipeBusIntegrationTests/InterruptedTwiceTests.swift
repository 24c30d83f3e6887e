// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Another program destroys a node right after a connection was made again, so that the connection is younger than a second. It
/// had lasted before, and both ends know.
final class InterruptedTwiceTests: DaemonTestCase {
    private func check(_ maker: LastingScene.Maker, _ interrupt: (LastingScene) async throws -> Void) async throws {
        for installation in PipeWireInstallation.all {
            for name in ["Giver.out", "Taker.in"] {
                let scene = try await LastingScene.start(maker, on: startDaemon(installation: installation))
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

    private func restart(_ scene: LastingScene) async throws { try await scene.daemon.restart() }

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
        for maker in LastingScene.Maker.allCases {
            for installation in PipeWireInstallation.all {
                let scene = try await LastingScene.start(maker, on: startDaemon(installation: installation))
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
            let scene = try await LastingScene.start(.giver, on: startDaemon(installation: installation))
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
