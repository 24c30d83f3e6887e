// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Connecting by name, across processes.
final class ConnectTests: DaemonTestCase {
    private func client(_ daemon: HeadlessPipeWire) async throws -> BusClient {
        try await BusClient.connect(as: "org.pipebus.test", name: "Test", remote: daemon.remote)
    }

    func testConnectingWaitsForBothEnds() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        async let connection = bus.connect("Late Sender", to: "Late Receiver")
        let receiver = try await Peer.start("Late Receiver", on: daemon)
        try await receiver.addReceiver("in", channels: 2)
        let sender = try await Peer.start("Late Sender", on: daemon)
        try await sender.addSender("out", channels: 2, .constant(0.5))
        let made = try await connection
        XCTAssertEqual(made.links.count, 2)
        try await eventually("sound") {
            try await receiver.meters("in").contains { $0.peak == 0.5 }
        }
        for peer in [sender, receiver] { try await peer.close() }
        await bus.close()
    }

    func testWaitingInVainEndsInTimeAndSaysForWhom() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        await assertThrows("waiting for nobody") {
            try await bus.connect("Nobody", to: receiver, timeout: .milliseconds(100))
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .timedOut, "\(error)")
            XCTAssertTrue("\(error)".contains("Nobody"), "\(error)")
        }
        await assertThrows("a time that has passed") {
            try await bus.connect("Nobody", to: receiver, timeout: .seconds(-5))
        } _: { error in
            XCTAssertFalse("\(error)".contains("Waited"), "\(error)")
        }
        await bus.close()
    }

    /// It waits for the other port, and its own one is looked up again meanwhile.
    func testAWaitEndsWithTheAppsOwnPort() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        let sender = try await bus.sender("out", state: ()) { _, _, _ in }
        let incoming = Task { try await bus.connect("Nobody", to: receiver, timeout: .seconds(3600)) }
        let outgoing = Task { try await bus.connect(sender, to: "Nobody", timeout: .seconds(3600)) }
        // The calls have their turns meanwhile, and wait.
        for _ in 0..<100 { _ = await bus.graph }
        await receiver.close()
        await assertThrows("a connection to a closed port") {
            try await incoming.value
        } _: {
            XCTAssertEqual(($0 as? PipeBusError)?.code, .closed, "\($0)")
        }
        await sender.close()
        await assertThrows("a connection from a closed port") {
            try await outgoing.value
        } _: {
            XCTAssertEqual(($0 as? PipeBusError)?.code, .closed, "\($0)")
        }
        await bus.close()
    }

    func testAWaitGoesOnWhenTheAppsOwnPortIsMadeAgain() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        async let connection = bus.connect("Late", to: receiver, timeout: .seconds(60))
        for _ in 0..<3 {
            let old = receiver.graphID
            try await daemon.destroyNode(named: receiver.nodeName)
            try await eventually("the port again") { receiver.graphID != nil && receiver.graphID != old }
        }
        let sender = try await Peer.start("Late", on: daemon)
        try await sender.addSender("out", .constant(0.5))
        let made = try await connection
        XCTAssertEqual(made.destination, receiver.graphID)
        try await sender.close()
        await bus.close()
    }

    /// Its old port may be found just before it goes.
    func testAnAppThatWasKilledIsWaitedFor() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let input = try await bus.receiver("in", state: ()) { _, _, _ in }
        var guest = try await Peer.start("Guest", on: daemon)
        try await guest.addSender("out", .constant(0.5))
        try await eventually("its port") { await bus.graph.ports.contains { $0.nodeName == "Guest.out" } }
        for _ in 1...15 {
            guest.process.signal(SIGKILL)
            async let connection = bus.connect("Guest.out", to: input)
            try await guest.process.waitForEnd()
            try await eventually("its port to go") { await !bus.graph.ports.contains { $0.nodeName == "Guest.out" } }
            guest = try await Peer.start("Guest", on: daemon)
            try await guest.addSender("out", .constant(0.5))
            let source = try await connection.source
            let new = await bus.graph.ports.first { $0.nodeName == "Guest.out" }
            XCTAssertEqual(source, new?.id)
            try await bus.disconnect("Guest.out", from: input)
        }
        try await guest.close()
        await bus.close()
    }

    /// The receiver need not move any of them.
    func testConnectionsThatAnAppMakesAtOnceTakeLanesOfTheirOwn() async throws {
        let daemon = try await startDaemon()
        let taker = try await Peer.start("Taker", on: daemon)
        try await taker.addReceiver("in", channels: 2)
        let bus = try await client(daemon)
        var senders: [SenderPort] = []
        for number in 0..<6 { senders.append(try await bus.sender("out\(number)", state: ()) { _, _, _ in }) }
        try await withThrowingTaskGroup(of: Connection.self) { group in
            for sender in senders { group.addTask { try await bus.connect(sender, to: "Taker/in") } }
            for try await connection in group { XCTAssertEqual(connection.links.count, 2) }
        }
        try await eventually("all sources") { try await taker.sources("in").count == senders.count }
        let notices = try await taker.notices()
        XCTAssertEqual(notices, [])
        try await taker.close()
        await bus.close()
    }

    func testNoTimeToConnectIsABadArgument() async throws {
        let daemon = try await startDaemon()
        for timeout in [Duration.zero, .seconds(-1)] {
            await assertThrows("\(timeout)") {
                try await BusClient.connect(
                    as: "org.pipebus.test", name: "Test", remote: daemon.remote, timeout: timeout)
            } _: {
                XCTAssertEqual(($0 as? PipeBusError)?.code, .invalidArgument, "\($0)")
            }
        }
        XCTAssertFalse(BusClient.isDaemonRunning(remote: ""))
        XCTAssertTrue(BusClient.isDaemonRunning(remote: daemon.remote))
    }

    func testANameThatCouldBeTwoPortsIsNotGuessed() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let receiver = try await bus.receiver("in", channels: .mono, state: ()) { _, _, _ in }
        let peers = [try await Peer.start("Twin", on: daemon), try await Peer.start("Twin", on: daemon)]
        for peer in peers { try await peer.addSender("out", .constant(0)) }
        try await eventually("both") { await bus.graph.peers.count { $0.name == "Twin" } == 2 }
        await assertThrows("a name of two") {
            try await bus.connect("Twin", to: receiver)
        } _: { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .unknownPort, "\(error)")
            XCTAssertTrue("\(error)".contains("Twin.out-2"), "\(error)")
        }
        // The exact name is one port's.
        try await bus.connect("Twin.out-2", to: receiver)
        for peer in peers { try await peer.close() }
        await bus.close()
    }

    func testNumbersOfChannelsThatDoNotFitAreRefused() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let peer = try await Peer.start("Peer", on: daemon)
        for count in [1, 2, 8] { try await peer.addSender("out\(count)", channels: count, .constant(0)) }
        for count in [1, 2, 8] {
            _ = try await bus.receiver("in\(count)", channels: .channels(count), state: ()) { _, _, _ in }
        }
        let fitting = [(1, 1), (1, 2), (2, 2), (8, 8)]
        for from in [1, 2, 8] {
            for to in [1, 2, 8] {
                let connect = { try await bus.connect("Peer/out\(from)", to: "Test/in\(to)") }
                if fitting.contains(where: { $0 == (from, to) }) {
                    let connection = try await connect()
                    XCTAssertEqual(connection.links.count, max(from, to))
                    continue
                }
                await assertThrows("\(from) channels to \(to)", connect) { error in
                    XCTAssertEqual((error as? PipeBusError)?.code, .channelMismatch, "\(error)")
                }
            }
        }
        for count in [0, -1, 65, 1000] {
            await assertThrows("\(count) channels") {
                try await bus.sender("bad", channels: .channels(count), state: ()) { _, _, _ in }
            } _: { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument, "\(error)")
            }
        }
        try await peer.close()
        await bus.close()
    }

    func testDisconnectingRemovesLinksOfAnyMaker() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        let peer = try await Peer.start("Peer", on: daemon)
        try await peer.addSender("out", channels: 2, .constant(0.5))
        try await eventually("the sender") { await bus.graph.ports.count == 2 }
        for (output, input) in [("FL", "1_FL"), ("FR", "1_FR")] {
            let tool = try daemon.run("pw-link", ["Peer.out:output_\(output)", "Test.in:input_\(input)"])
            let ending = try await tool.waitForEnd()
            XCTAssertEqual(ending, .exited(0), tool.errors.text)
        }
        try await eventually("both links") { await bus.graph.connections.first?.links.count == 2 }
        try await bus.disconnect("Peer", from: receiver)
        let graph = await bus.graph
        XCTAssertEqual(graph.connections, [])
        let dump = try await GraphDump.take(daemon)
        XCTAssertEqual(dump.objects.count { $0.type == "Link" }, 0)
        await assertThrows("disconnecting twice", { try await bus.disconnect("Peer", from: receiver) }) { error in
            XCTAssertEqual((error as? PipeBusError)?.code, .notConnected, "\(error)")
        }
        try await peer.close()
        await bus.close()
    }

    func testALingeringConnectionOutlivesItsMaker() async throws {
        let daemon = try await startDaemon()
        let patchbay = try await client(daemon)
        let receiver = try await Peer.start("Receiver", on: daemon)
        try await receiver.addReceiver("in", channels: 2)
        let sender = try await Peer.start("Sender", on: daemon)
        try await sender.addSender("out", channels: 2, .constant(0.5))
        try await patchbay.connect("Sender", to: "Receiver", lingers: true)
        await patchbay.close()
        _ = try await receiver.meters("in")
        let cycles = try await receiver.report("in").cycles
        try await eventually("more sound") { try await receiver.report("in").cycles > cycles + 3 }
        let meters = try await receiver.meters("in")
        XCTAssertEqual(meters.map(\.peak), [0.5])
        for peer in [sender, receiver] { try await peer.close() }
    }
}
