// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// However a process ends, nothing of it is left in the graph; and what the others notice.
final class ProcessEndTests: DaemonTestCase {
    /// A receiver here, and a peer with a sender and a filter that are connected to it.
    private func connect(
        on daemon: HeadlessPipeWire
    ) async throws -> (bus: BusClient, receiver: ReceiverPort, peer: Peer) {
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        let peer = try await Peer.start("Peer", on: daemon)
        try await peer.addSender("out", channels: 2, .constant(0.5))
        try await peer.addFilter("fx", channels: 2)
        try await bus.connect("Peer/out", to: receiver)
        try await bus.connect("Peer/fx", to: receiver)
        return (bus, receiver, peer)
    }

    func testSignalsEndAProcessInOrder() async throws {
        // `timeout` sends the last two.
        for signals in [[SIGINT], [SIGTERM]] + Array(repeating: [SIGTERM, SIGTERM], count: 4) {
            let daemon = try await startDaemon()
            let before = try await GraphDump.take(daemon).inventory
            let (bus, _, peer) = try await connect(on: daemon)
            for signal in signals { peer.process.signal(signal) }
            let line = try await peer.process.nextLine()
            guard case .ended(let reason) = try PeerLine.decode(line, as: PeerReply.self) else { return XCTFail(line) }
            XCTAssertEqual(reason, "signal \(signals[0])")
            let ending = try await peer.process.waitForEnd()
            XCTAssertEqual(ending, .exited(0))
            try await assertGone(bus)
            await bus.close()
            let after = try await GraphDump.take(daemon).inventory
            XCTAssertEqual(after, before)
        }
    }

    func testAKilledProcessLeavesNothing() async throws {
        let daemon = try await startDaemon()
        let before = try await GraphDump.take(daemon).inventory
        let (bus, receiver, peer) = try await connect(on: daemon)
        peer.process.signal(SIGKILL)
        let ending = try await peer.process.waitForEnd()
        XCTAssertEqual(ending, .killed(signal: SIGKILL))
        try await assertGone(bus)
        // Its lanes are free again, and the receiver works as before.
        let next = try await Peer.start("Next", on: daemon)
        try await next.addSender("out", channels: 2, .constant(0.25))
        try await bus.connect("Next", to: receiver)
        try await eventually("sound from the next one") {
            for await readings in receiver.meters { return readings.contains { $0.meter.peak == 0.25 } }
            return false
        }
        try await next.close()
        await bus.close()
        let after = try await GraphDump.take(daemon).inventory
        XCTAssertEqual(after, before)
    }

    func testTheEndOfTheDaemonIsNoticedByAll() async throws {
        let daemon = try await startDaemon()
        let (bus, receiver, peer) = try await connect(on: daemon)
        let updates = bus.graphUpdates
        try await daemon.kill()
        for await graph in updates where graph.ports.isEmpty { break }
        XCTAssertEqual(bus.state.reason?.kind, .daemonGone)
        await assertThrows("connecting without a daemon") {
            try await bus.connect("Peer/out", to: receiver, timeout: .milliseconds(50))
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .connectionLost, "\(error)")
        }
        try daemon.startAgain()
        try await eventually("both connections of the peer's process") {
            let sources = try await receiver.sources
            return sources.map(\.port.name).sorted() == ["fx", "out"]
        }
        try await peer.close()
        await bus.close()
    }

    func testWaitingForAPortGoesOnWithoutADaemonAndEndsWithTheClient() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        async let waiting: Void = assertThrows("waiting for a port of a daemon that dies") {
            try await bus.connect("Nobody", to: receiver, timeout: .seconds(60))
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .closed, "\(error)")
        }
        try await daemon.kill()
        for await state in bus.stateUpdates where state != .running { break }
        await bus.close()
        await waiting
    }

    func testASecondProcessOfAnAppHasNamesOfItsOwn() async throws {
        let daemon = try await startDaemon()
        var peers: [Peer] = []
        for expected in ["Twin.out", "Twin.out-2", "Twin.out-3"] {
            let peer = try await Peer.start("Twin", on: daemon)
            let nodeName = try await peer.addSender("out", .constant(0))
            XCTAssertEqual(nodeName, expected)
            peers.append(peer)
        }
        // The first name is free again once its owner has gone.
        try await peers[0].close()
        let peer = try await Peer.start("Twin", on: daemon)
        let nodeName = try await peer.addSender("out", .constant(0))
        XCTAssertEqual(nodeName, "Twin.out")
        for peer in peers.dropFirst() + [peer] { try await peer.close() }
    }

    func testTwoProcessesThatTakeANameAtTheSameMomentDoNotGetTheSame() async throws {
        let daemon = try await startDaemon()
        let peers = [
            try await Peer.start("Twin", on: daemon), try await Peer.start("Twin", on: daemon),
            try await Peer.start("Twin", on: daemon),
        ]
        for round in 0..<5 {
            async let one = peers[0].addSender("out\(round)", .constant(0))
            async let two = peers[1].addSender("out\(round)", .constant(0))
            async let three = peers[2].addSender("out\(round)", .constant(0))
            let names = try await [one, two, three]
            XCTAssertEqual(Set(names).count, 3, "\(names)")
            XCTAssertTrue(names.contains("Twin.out\(round)"), "\(names)")
        }
        for peer in peers { try await peer.close() }
    }

    private func assertGone(_ bus: BusClient, file: StaticString = #filePath, line: UInt = #line) async throws {
        try await eventually("the peer's ports to go") {
            let graph = await bus.graph
            return graph.ports.map(\.nodeName) == ["Test.in"] && graph.connections.isEmpty
        }
    }
}
