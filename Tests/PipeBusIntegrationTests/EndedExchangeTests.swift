// SPDX-License-Identifier: MIT
import Glibc
import PeerProtocol
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// What ends while sources of a filter are held for an exchange: the source, the filter, the daemon. Or it hangs, or is in a loop.
final class EndedExchangeTests: DaemonTestCase {
    /// A source in a process of its own, and a filter of which the sources are held.
    private struct Scene {
        let daemon: HeadlessPipeWire
        let bus: BusClient
        let source: Peer
        let filter: FilterPort
        let hearing = Hearing()
        let receiver: ReceiverPort

        init(on daemon: HeadlessPipeWire) async throws {
            self.daemon = daemon
            bus = try await BusClient.connect(
                as: "org.pipebus.taker", name: "Taker", remote: daemon.remote, allowsConnectionsToSelf: true)
            source = try await Peer.start("Source", on: daemon)
            try await source.addSender("out", .constant(0.5))
            filter = try await FilterInsertion.plain(on: bus)
            receiver = try await hearing.mixed(on: bus)
            try await bus.connect("Source", to: filter)
            try await bus.connect(filter, to: receiver)
            try await waitUntilHeard(0.5)
        }

        func waitUntilHeard(_ value: Float) async throws {
            let before = hearing.moments.count
            try await eventually("the filter to be heard", within: .seconds(20)) {
                hearing.moments.dropFirst(before).contains { $0.mix[0].last == value }
            }
        }

        /// Asks as another process does, and waits until the filter hears its tap.
        func hold() async throws {
            let graph = await bus.graph
            let node = try XCTUnwrap(graph.port(filter.id)).nodeID
            let serial = try XCTUnwrap(graph.sources(of: filter.id).first).id.serial
            let tool = try daemon.run(
                "pw-cli",
                ["set-param", "\(node)", "Props", "{ params = [ \"pipebus.exchange.hold\" \"\(serial) 99999\" ] }"])
            let ending = try await tool.waitForEnd()
            XCTAssertEqual("\(ending)", "exited(0)")
            try await eventually("the tap") { try await isHeld() }
        }

        private func isHeld() async throws -> Bool {
            let nodes = try await GraphDump.take(daemon).objects.filter { $0.type == "Node" }
            return nodes.contains { $0.properties["node.name"] == "Taker.amp.tap" }
                && nodes.contains { $0.properties["pipebus.exchange.held"]?.hasSuffix(" 99999") == true }
        }

        func waitUntilNothingIsLeft() async throws {
            try await eventually("the tap to go", within: .seconds(20)) {
                let nodes = try await GraphDump.take(daemon).objects.filter { $0.type == "Node" }
                return !nodes.contains { $0.properties["node.name"]?.hasSuffix("tap") == true }
            }
        }

        /// Another source is heard, and exchanged for the first.
        func assertThatItWorks() async throws {
            let twin = try await bus.sender("twin", channels: .mono, state: ()) { _, _, output in
                output.fill(0) { _ in 0.25 }
            }
            if try await filter.state.sources.isEmpty {
                try await bus.connect(twin, to: filter)
            } else {
                try await bus.replace("Source", at: filter, with: twin)
            }
            try await waitUntilHeard(0.25)
            try await waitUntilNothingIsLeft()
        }

        func close() async throws {
            await bus.close()
            try await source.close()
        }
    }

    func testTheAppOfTheSourceEnds() async throws {
        let scene = try await Scene(on: try await startDaemon(.init(quantum: 256)))
        try await scene.hold()
        kill(scene.source.process.pid, SIGKILL)
        try await scene.waitUntilNothingIsLeft()
        try await scene.assertThatItWorks()
        await scene.bus.close()
    }

    func testTheFilterIsClosed() async throws {
        let scene = try await Scene(on: try await startDaemon(.init(quantum: 256)))
        try await scene.hold()
        await scene.filter.close()
        try await scene.waitUntilNothingIsLeft()
        try await scene.close()
    }

    /// The tap waits for a source that hangs, and the filter for the tap: not for longer than without one.
    func testTheSourceHangs() async throws {
        let scene = try await Scene(on: try await startDaemon(.init(quantum: 256)))
        let other = try await scene.bus.sender("other", channels: .mono, state: ()) { _, _, output in
            output.fill(0) { _ in 0.125 }
        }
        try await scene.bus.connect(other, to: scene.filter)
        try await scene.waitUntilHeard(0.625)
        try await scene.hold()
        kill(scene.source.process.pid, SIGSTOP)
        try await scene.waitUntilHeard(0.125)
        try await scene.waitUntilNothingIsLeft()
        kill(scene.source.process.pid, SIGCONT)
        try await scene.waitUntilHeard(0.625)
        try await scene.close()
    }

    func testTheDaemonIsRestarted() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let scene = try await Scene(on: daemon)
        try await scene.hold()
        try await daemon.kill()
        try await eventually("the interruption") { scene.bus.state.reason?.kind == .daemonGone }
        try daemon.startAgain()
        try await daemon.waitUntilItListens()
        try await eventually("the app to run", within: .seconds(20)) { scene.bus.state == .running }
        try await scene.waitUntilHeard(0.5)
        try await scene.waitUntilNothingIsLeft()
        try await scene.assertThatItWorks()
        try await scene.close()
    }

    /// The sound of the filter comes back to it, so a tap would be a cycle late: its sources are exchanged without one.
    func testAFilterInALoop() async throws {
        let scene = try await Scene(on: try await startDaemon(.init(quantum: 256)))
        let back = try await scene.bus.filter("back", inputs: .mono, fade: .none, state: ()) { _, _, input, output in
            let from = input[0]
            output.fill(0) { frame in 0.5 * from[frame] }
        }
        try await scene.bus.connect(scene.filter, to: back)
        try await scene.bus.connect(back, to: scene.filter)
        try await eventually("the echo") { (scene.hearing.moments.last?.mix[0].last ?? 0) > 0.99 }
        let twin = try await scene.bus.sender("twin", channels: .mono, state: ()) { _, _, output in
            output.fill(0) { _ in 0.25 }
        }
        try await scene.bus.replace("Source", at: scene.filter, with: twin)
        let sources = try await scene.filter.state.sources.map(\.nodeName)
        XCTAssertEqual(Set(sources), ["Taker.back", "Taker.twin"])
        try await eventually("the other echo") {
            guard let last = scene.hearing.moments.last?.mix[0].last else { return false }
            return last > 0.49 && last < 0.51
        }
        try await scene.waitUntilNothingIsLeft()
        try await scene.close()
    }
}
