// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The base of tests of what apps share: clients of this process, and their errors.
class SharingTestCase: DaemonTestCase {
    /// A client with a sender "out": an app without a port is no peer. It ends with the test.
    func client(_ name: String, on daemon: HeadlessPipeWire) async throws -> BusClient {
        let bus = try await BusClient.connect(
            as: "org.pipebus.\(name.lowercased())", name: name, remote: daemon.remote, allowsConnectionsToSelf: true)
        addTeardownBlock { await bus.close() }
        _ = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        return bus
    }

    func id(of name: String, seenBy bus: BusClient) async throws -> PipeBus.Peer.ID {
        try await eventually("\(name) in the graph") { await bus.graph.peers.contains { $0.name == name } }
        let peers = await bus.graph.peers
        return try XCTUnwrap(peers.first { $0.name == name }?.id)
    }

    /// Expects an error of a code whose sentence has some words.
    func assertFailure(
        _ code: PipeBusError.Code, saying words: String = "", line: UInt = #line, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            XCTFail("no error", line: line)
        } catch let error as PipeBusError {
            XCTAssertEqual(error.code, code, "\(error)", line: line)
            XCTAssertTrue(words.isEmpty || error.message.contains(words), error.message, line: line)
        } catch {
            XCTFail("\(error)", line: line)
        }
    }
}
