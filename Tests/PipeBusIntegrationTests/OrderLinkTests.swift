// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The silent links that keep an order: who sees them, and what becomes of them in other people's hands.
final class OrderLinkTests: BusTestCase {
    func testNobodyTakesThemForConnections() async throws {
        let scene = try await OrderScene.start()
        try await scene.add(first: "in", ordered: true)
        try await scene.connect()
        let graph = await scene.others.graph
        for port in graph.ports where port.isPipeBus {
            XCTAssertFalse((port.inputs + port.outputs).contains { $0.name.hasPrefix("order") }, "\(port)")
        }
        XCTAssertEqual(graph.connections.count, 2)
        XCTAssertFalse(graph.connections.contains { graph.port($0.source)?.name == "in" })
        // Unconnected ports are not made to run by their order.
        let ports = await scene.app.graph.ports
        XCTAssertEqual(ports.count { $0.name == "in" && $0.kind == .receiver && $0.outputs.isEmpty }, 1)
        XCTAssertEqual(ports.count { $0.name == "out" && $0.kind == .sender && $0.inputs.isEmpty }, 1)
        try await scene.close()
    }

    func testPlainPortsHaveNothingOfIt() async throws {
        let scene = try await OrderScene.start()
        try await scene.add(first: "in", ordered: false)
        let lines = try await scene.links("-o") + scene.links("-i")
        XCTAssertFalse(lines.contains { $0.contains("order") }, "\(lines)")
        try await scene.close()
    }

    func testALinkThatSomebodyRemovesIsMadeAgainOnce() async throws {
        let scene = try await OrderScene.start()
        let sender = try await scene.add(first: "in", ordered: true)
        try await scene.connect()
        let notices = await scene.app.notices
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

    /// When the link goes there is audio from the later port to the earlier one, by whoever, that PipeWire lets wait. Once
    /// the link is gone it would be the link that waits.
    func testALinkMadeAgainDoesNotGiveWayToALoop() async throws {
        let scene = try await OrderScene.start()
        try await scene.add(first: "in", ordered: true)
        try await scene.connect()
        _ = try await scene.others.filter("loop", inputs: .mono, state: ()) { _, _, _, _ in }
        try await scene.graph.settle()
        try await scene.graph.run("pw-link", ["App.out:output_MONO", "Others.loop:input_MONO"])
        try await scene.graph.run("pw-link", ["Others.loop:output_MONO", "App.in:input_2_MONO"])
        try await scene.graph.step([(64, 3)])
        // With the loop in the mix it is not the sound that tells.
        let feedback = try await scene.feedbackLinks()
        XCTAssertEqual(feedback, ["Others.loop -> App.in"])
        // The audio is linked anew while no order holds, and becomes an ordinary link.
        try await scene.graph.run("pw-link", ["-d", "App.in:order_out", "App.out:order_in"])
        try await eventually("the link to be made again") { try await scene.orderLinks == 1 }
        try await scene.graph.settle()
        let after = try await scene.feedbackLinks()
        XCTAssertEqual(after, ["Others.loop -> App.in"])
        try await scene.close()
    }
}
