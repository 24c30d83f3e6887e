// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The ways in which an app names a port: by its object, and by the names that people use.
final class PortReferenceTests: DaemonTestCase {
    private func client(_ daemon: HeadlessPipeWire, _ name: String = "App") async throws -> BusClient {
        try await BusClient.connect(
            as: "org.pipebus.test", name: name, remote: daemon.remote, allowsConnectionsToSelf: true)
    }

    private func assertThrowsPipeBus(
        _ code: PipeBusError.Code, saying words: String = "", line: UInt = #line, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            XCTFail("it did not throw", line: line)
        } catch {
            XCTAssertEqual((error as? PipeBusError)?.code, code, "\(error)", line: line)
            if !words.isEmpty { XCTAssertTrue("\(error)".contains(words), "\(error)", line: line) }
        }
    }

    func testAClosedPortsObjectNeverStandsForAnotherPort() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let old = try await bus.filter("fx", state: ()) { _, _, _, _ in }
        let input = try await client(daemon, "Taker").receiver("in", state: ()) { _, _, _ in }
        let giver = try await client(daemon, "Giver").sender("out", state: ()) { _, _, _ in }
        await old.close()
        // Another client of that app's name takes the name of the node.
        let other = try await client(daemon)
        let new = try await other.filter("fx", state: ()) { _, _, _, _ in }
        XCTAssertEqual(new.nodeName, old.nodeName)
        try await input.client.connect(new, to: input)
        // And the app itself adds a port of that name again.
        let again = try await bus.filter("fx", state: ()) { _, _, _, _ in }
        XCTAssertNotEqual(again.graphID, old.graphID)
        for client in [bus, input.client] {
            await assertThrowsPipeBus(.closed) { try await client.connect(old, to: input) }
            await assertThrowsPipeBus(.closed) { try await client.connect(giver, to: old) }
            await assertThrowsPipeBus(.closed) { try await client.disconnect(old, from: input) }
            await assertThrowsPipeBus(.closed) { try await client.setBypassed(true, of: old) }
            await assertThrowsPipeBus(.closed) { _ = try await client.level(of: old, at: input) }
        }
        let sources = await input.client.graph.sources(of: input.id).map(\.id)
        XCTAssertEqual(sources, [new.id])
        for client in [bus, other, input.client, giver.client] { await client.close() }
        // A closed client's ports are closed too.
        XCTAssertEqual(again.portDesignation, .closed("fx"))
    }

    func testAWrongDirectionIsReportedAtOnce() async throws {
        let daemon = try await startDaemon()
        let bus = try await client(daemon)
        let sender = try await bus.sender("out", title: "Lead", state: ()) { _, _, _ in }
        let receiver = try await bus.receiver("in", state: ()) { _, _, _ in }
        for source in ["App.in", "App/in", "App in"] {
            await assertThrowsPipeBus(.invalidArgument, saying: "only takes sound") {
                try await bus.connect(source, to: receiver, timeout: .seconds(3600))
            }
        }
        for destination in ["App.out", "App/out", "Lead"] {
            await assertThrowsPipeBus(.invalidArgument, saying: "only gives sound") {
                try await bus.connect(sender, to: destination, timeout: .seconds(3600))
            }
        }
        await assertThrowsPipeBus(.invalidArgument) { try await bus.connect(receiver, to: sender) }
        await bus.close()
    }
}
