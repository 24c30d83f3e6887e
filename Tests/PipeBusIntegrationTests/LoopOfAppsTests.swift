// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Filters of several apps in a circle, which another patchbay closed: every one of them hears itself.
final class LoopOfAppsTests: DaemonTestCase {
    private let chain = ["Source.tone > One.fx", "One.fx > Two.fx", "Two.fx > Three.fx", "Three.fx > End.in"]

    private struct Scene {
        var graph: SteppedGraph
        var bus: BusClient
        var peers: [Peer]

        var connections: Set<String> {
            get async {
                let graph = await bus.graph
                return Set(
                    graph.connections.map {
                        "\(graph.port($0.source)?.nodeName ?? "?") > \(graph.port($0.destination)?.nodeName ?? "?")"
                    })
            }
        }

        func link(_ source: String, _ destination: String) async throws {
            try await graph.run("pw-link", ["\(source):output_MONO", "\(destination):input_MONO"])
        }

        func close() async throws {
            await bus.close()
            try await graph.close()
        }
    }

    private func makeScene() async throws -> Scene {
        let graph = try await SteppedGraph.start(installation: .chosen)
        let bus = try await BusClient.connect(as: "org.pipebus.desk", name: "Desk", remote: graph.remote)
        var scene = Scene(graph: graph, bus: bus, peers: [])
        for name in ["Source", "One", "Two", "Three", "End"] { scene.peers.append(try await graph.peer(name)) }
        try await scene.peers[0].addSender("tone", .constant(0.25))
        for peer in scene.peers[1...3] { try await peer.addFilter("fx") }
        try await scene.peers[4].addReceiver("in")
        try await eventually("all ports") { await bus.graph.ports.count == 5 }
        for connection in chain {
            let ends = connection.split(separator: " > ").map(String.init)
            try await bus.connect(ends[0], to: ends[1])
        }
        return scene
    }

    func testOnlyTheConnectionThatClosesTheLoopIsRemoved() async throws {
        let scene = try await makeScene()
        for (source, destination) in [("Three.fx", "One.fx"), ("Two.fx", "One.fx"), ("Three.fx", "Two.fx")] {
            try await scene.link(source, destination)
            // Each app has taken in all of it, and what the others made of it.
            try await scene.graph.settle()
            try await eventually("the loop to be open") {
                await !scene.connections.contains("\(source) > \(destination)")
            }
            try await scene.graph.settle()
            var connections = await scene.connections
            XCTAssertEqual(connections, Set(chain), "\(source) > \(destination)")
            // If it comes back, no client removes it.
            try await scene.link(source, destination)
            try await scene.graph.settle()
            try await scene.graph.step([(256, 4)])
            try await scene.graph.settle()
            connections = await scene.connections
            XCTAssertEqual(connections, Set(chain + ["\(source) > \(destination)"]))
            try await scene.graph.run("pw-link", ["-d", "\(source):output_MONO", "\(destination):input_MONO"])
            try await eventually("the loop to be open") { await scene.connections == Set(chain) }
        }
        try await scene.close()
    }

    /// A silenced connection does not play the sound, so the app goes on playing it itself.
    func testASenderIsNotMutedByWhatIsSilent() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        let app = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: graph.remote)
        let notices = NoticeLog(app.notices)
        let out = try await app.sender("out", channels: .mono, state: ()) { _, _, _ in }
        let input = try await app.receiver("in", isMonitoring: true, state: ()) { _, _, _ in }
        for count in 1...2 {
            try await graph.run("pw-link", ["App.out:output_MONO", "App.in:input_1_FL"])
            try await eventually("\(count) notices") { notices.all.count == count }
        }
        try await eventually("both ends to know") { out.isConnectedToSelf && input.isConnectedToSelf }
        let state = try await out.state
        XCTAssertEqual(state.isPlayed, .no)
        XCTAssertFalse(out.shouldMuteLocalOutput)
        await app.close()
        try await graph.close()
    }
}
