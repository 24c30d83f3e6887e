// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A patchbay disconnects a source while the receiver's app moves its link to a free lane.
final class DisconnectedWhileMovedTests: DaemonTestCase {
    func testItStaysAway() async throws { try await check(.chosen) }
    func testItStaysAwayOnANewerPipeWire() async throws { try await check(.newer()) }

    private func check(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(.init(quantum: 256), installation: installation)
        let patchbay = try await BusClient.connect(as: "org.pipebus.patchbay", name: "Patchbay", remote: daemon.remote)
        let app = try await Peer.start("App", on: daemon, client: daemon.installation)
        let input = try await app.addReceiver("in")
        let first = try await Peer.start("First", on: daemon, client: daemon.installation)
        try await patchbay.connect(try await first.addSender("out", .constant(0.25)), to: input)
        for round in 0..<25 {
            // A new node has not been moved yet.
            let second = try await Peer.start("Second", on: daemon, client: daemon.installation)
            let output = try await second.addSender("out", .constant(0.5))
            try await eventually("the port") { await patchbay.graph.ports.contains { $0.nodeName == output } }
            let tool = try daemon.run("pw-link", ["\(output):output_MONO", "\(input):input_1_MONO"])
            try await eventually("a connection") { await patchbay.graph.connections.count == 2 }
            // At different moments of the move.
            for _ in 0..<(round % 5) { _ = try await app.sources("in") }
            try await patchbay.disconnect(output, from: input)
            try await tool.waitForEnd()
            // What the app was about to do is done.
            try await eventually("the app to have one source") { try await app.sources("in").count == 1 }
            for _ in 0..<5 { _ = try await app.sources("in") }
            let count = await patchbay.graph.connections.count
            XCTAssertEqual(count, 1, "round \(round)")
            try await second.close()
        }
        for peer in [app, first] { try await peer.close() }
        await patchbay.close()
    }
}
