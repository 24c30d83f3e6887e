// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import PipeWireClient
import XCTest

/// The order links: who sees them, and what becomes of them in other people's hands.
final class OrderLinkTests: DaemonTestCase {
    func testTheyAreNoConnections() async throws {
        let scene = try await OrderScene.start()
        try await scene.add(first: "in", ordered: true)
        try await scene.connect()
        let graph = await scene.others.graph
        for port in graph.ports where port.isPipeBus {
            XCTAssertFalse((port.inputs + port.outputs).contains { $0.name.hasPrefix("order") }, "\(port)")
        }
        XCTAssertEqual(graph.connections.count, 2)
        XCTAssertFalse(graph.connections.contains { graph.port($0.source)?.name == "in" })
        let ports = await scene.app.graph.ports
        XCTAssertEqual(ports.count { $0.name == "in" && $0.kind == .receiver && $0.outputs.isEmpty }, 1)
        XCTAssertEqual(ports.count { $0.name == "out" && $0.kind == .sender && $0.inputs.isEmpty }, 1)
        try await scene.close()
    }

    func testJackProgramsAreNotShownThem() async throws {
        let daemon = try await startDaemon()
        let app = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        _ = try await app.receiver("in", channels: .mono, lanes: 1, state: ()) { _, _, _ in }
        _ = try await app.sender("out", channels: .mono, after: ["in"], state: ()) { _, _, _ in }
        let tool = try daemon.run("pw-jack", ["jack_lsp", "-c"])
        let ending = try await tool.waitForEnd()
        XCTAssertEqual(ending, .exited(0), "\(tool.failure("failed"))")
        XCTAssertEqual(tool.output.lines.sorted(), ["App in:input_1_MONO", "App out:output_MONO"])
        await app.close()
    }

    func testPlainPortsHaveNothingOfIt() async throws {
        let scene = try await OrderScene.start()
        try await scene.add(first: "in", ordered: false)
        let lines = try await scene.links("-o") + scene.links("-i")
        XCTAssertFalse(lines.contains { $0.contains("order") }, "\(lines)")
        try await scene.close()
    }

    func testALinkRemovedByAnotherClientIsMadeAgainOnce() async throws {
        let scene = try await OrderScene.start()
        let sender = try await scene.add(first: "in", ordered: true)
        try await scene.connect()
        let notices = scene.app.notices
        try await scene.graph.run("pw-link", ["-d", "App.in:order_out", "App.out:order_in"])
        try await eventually("the link to be made again") { try await scene.orderLinks == 1 }
        let ages = try await scene.ages([1024, 64, 16])
        XCTAssertEqual(ages, [0])
        try await scene.graph.run("pw-link", ["-d", "App.in:order_out", "App.out:order_in"])
        for await notice in notices where notice.kind == .orderLost {
            XCTAssertTrue(notice.message.contains("out run after in"), notice.message)
            break
        }
        try await scene.graph.settle()
        let left = try await scene.orderLinks
        XCTAssertEqual(left, 0)
        // A port that is made again has its order again.
        await sender.close()
        _ = try await scene.addSender()
        try await scene.others.connect("App.out", to: scene.sink)
        try await scene.graph.step([(64, 3)])
        let again = try await scene.ages([1024, 64, 16])
        XCTAssertEqual(again, [0])
        try await scene.close()
    }

    /// When the order link is removed there is audio from the later port to the earlier one, on a feedback link.
    /// Without care the order link would become the feedback link.
    func testALinkMadeAgainDoesNotGiveWayToALoop() async throws {
        let scene = try await OrderScene.start()
        try await scene.add(first: "in", ordered: true)
        try await scene.connect()
        _ = try await scene.others.filter("loop", inputs: .mono, state: ()) { _, _, _, _ in }
        try await scene.graph.settle()
        try await scene.graph.run("pw-link", ["App.out:output_MONO", "Others.loop:input_MONO"])
        try await scene.graph.run("pw-link", ["Others.loop:output_MONO", "App.in:input_2_MONO"])
        try await scene.graph.step([(64, 3)])
        // With the loop in the mix the sound does not show it.
        let feedback = try await scene.feedbackLinks()
        XCTAssertEqual(feedback, ["Others.loop -> App.in"])
        // The audio is linked again while no order holds, and becomes an ordinary link.
        try await scene.graph.run("pw-link", ["-d", "App.in:order_out", "App.out:order_in"])
        try await eventually("the link to be made again") { try await scene.orderLinks == 1 }
        try await scene.graph.settle()
        let after = try await scene.feedbackLinks()
        XCTAssertEqual(after, ["Others.loop -> App.in"])
        try await scene.close()
    }

    /// A third port makes an order of two ports whose audio goes in the opposite direction. The audio that arrives at
    /// the first of them becomes a cycle late, whoever linked it, and not the order.
    func testAnOrderThatComesLaterThanTheAudioIsNotTheOneToWait() async throws {
        for client in ["App", "Others", "pw-link"] {
            try await straighten(client, installation: .chosen)
        }
    }

    func testNorWithADaemonOf14() async throws {
        try await straighten("Others", installation: try PipeWireInstallation.newer())
    }

    private func straighten(_ client: String, installation: PipeWireInstallation) async throws {
        let scene = try await OrderScene.start(installation: installation)
        let log = OrderLog(count: 3)
        let last = try await scene.filter("last", log, 2, after: ["middle"])
        let first = try await scene.filter("first", log, 0)
        let between = try await scene.others.filter("between", inputs: .mono, state: ()) { _, _, _, _ in }
        try await scene.app.connect(last, to: between.nodeName)
        switch client {
        case "App": try await scene.app.connect(between.nodeName, to: first)
        case "Others": try await scene.others.connect(between, to: first.nodeName)
        default: try await scene.graph.run("pw-link", ["Others.between:output_MONO", "App.first:input_MONO"])
        }
        try await scene.others.connect(first.nodeName, to: scene.sink)
        try await scene.graph.step([(64, 5)])
        let before = try await scene.feedbackLinks()
        XCTAssertEqual(before, [])
        let middle = try await scene.filter("middle", log, 1, after: ["first"])
        for (earlier, later) in [(0, 1), (1, 2)] { log.expect(earlier, before: later) }
        try await scene.others.connect(middle.nodeName, to: scene.sink)
        let after = try await scene.feedbackLinks()
        XCTAssertEqual(after, ["Others.between -> App.first"], client)
        try await scene.graph.step([(64, 5), (1024, 3)])
        XCTAssertEqual(log.violations, [:])
        XCTAssertTrue((0..<3).allSatisfy { log.runs($0) >= 8 }, client)
        // It is a connection like any other.
        try await scene.others.disconnect(between, from: first.nodeName)
        try await eventually("the connection to go") {
            await !scene.app.graph.connections.contains { $0.destination == first.id }
        }
        try await scene.close()
    }

    // MARK: What goes wrong

    func testAPortWhoseOrderCannotBeHadIsNotMade() async throws {
        let daemon = try await startDaemon()
        let recorder = CallRecorder()
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: daemon.remote, recorder: recorder)
        _ = try await app.receiver("in", lanes: 1, state: ()) { _, _, _ in }
        let before = try await GraphDump.take(daemon).inventory
        // The third port of the new node; the one that the receiver needs, after four of the new one; the link of both.
        for (call, passed) in [("pw_filter_add_port", 2), ("pw_filter_add_port", 4), ("pw_core_create_object", 0)] {
            recorder.force(ENOMEM, for: call, after: passed)
            await assertThrows("a port without its order, for \(call)") {
                try await app.sender("out", after: ["in"], state: ()) { _, _, _ in }
            } _: { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .pipeWire, "\(error)")
            }
            let after = try await GraphDump.take(daemon)
            XCTAssertEqual(after.nodes(named: "App.out"), [], call)
            // The receiver keeps its port, which later ones need.
            XCTAssertEqual(after.inventory.subtracting(before).count, call == "pw_core_create_object" ? 1 : 0)
        }
        _ = try await app.sender("out", after: ["in"], state: ()) { _, _, _ in }
        await app.close()
    }

    func testPortsThatGoWhileOthersAreMadeToComeAfterThem() async throws {
        let daemon = try await startDaemon()
        let app = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: daemon.remote)
        for round in 0..<30 {
            let first = try await app.receiver("in", lanes: 1, state: ()) { _, _, _ in }
            async let second = app.sender("out", after: ["in"], state: ()) { _, _, _ in }
            for _ in 0..<round % 10 { await Task.yield() }
            await first.close()
            try await second.close()
        }
        // And the client itself.
        _ = try await app.receiver("in", lanes: 1, state: ()) { _, _, _ in }
        let last = Task { try await app.sender("out", after: ["in"], state: ()) { _, _, _ in } }
        for _ in 0..<5 { await Task.yield() }
        await app.close()
        _ = await last.result
    }

    /// In real time, while the first of the two is at work: it has to be given what an order needs.
    func testAPortThatRunsIsNamed() async throws {
        let daemon = try await startDaemon(.init(quantum: 256))
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: daemon.remote, allowsConnectionsToSelf: true)
        let source = try await app.sender("source", state: ()) { _, _, _ in }
        for _ in 0..<20 {
            let receiver = try await app.receiver("in", lanes: 1, state: ()) { _, _, _ in }
            try await app.connect(source, to: receiver)
            try await runSome(receiver)
            let sender = try await app.sender("out", after: ["in"], state: ()) { _, _, _ in }
            try await runSome(receiver)
            await sender.close()
            await receiver.close()
        }
        await app.close()
    }

    private func runSome(_ port: LocalPort) async throws {
        let before = try await port.statistics.cycles
        try await eventually("cycles to run") { try await port.statistics.cycles > before + 3 }
    }
}
