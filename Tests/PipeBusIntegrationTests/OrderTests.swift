// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// Ports of one app that run one after the other in the same cycle.
final class OrderTests: BusTestCase {
    func testWhatComesInLeavesInTheSameCycle() async throws {
        for first in ["in", "out"] {
            let scene = try await OrderScene.start()
            try await scene.add(first: first, ordered: true)
            try await scene.connect()
            let ages = try await scene.ages([1024, 64, 333, 8192, 16, 1024])
            XCTAssertEqual(ages, [0], "\(first) made first")
            try await scene.close()
        }
    }

    func testPortsAndNamesMakeTheSameOrder() async throws {
        for mixed in [false, true] {
            let scene = try await OrderScene.start()
            _ = try await scene.add { mixed ? ["later", $0] : [$0] }
            try await scene.connect()
            let ages = try await scene.ages([1024, 64, 333, 16, 1024])
            XCTAssertEqual(ages, [0], mixed ? "with a name" : "alone")
            try await scene.close()
        }
    }

    func testWithoutAnOrderItIsOneCycleLateAtMost() async throws {
        for first in ["in", "out"] {
            let scene = try await OrderScene.start()
            try await scene.add(first: first, ordered: false)
            try await scene.connect(quantum: 256)
            let ages = try await scene.ages(Array(repeating: 256, count: 50))
            // Which one it is may be another one in each cycle.
            XCTAssertTrue(ages.isSubset(of: [0, 256]), "\(ages)")
            try await scene.close()
        }
    }

    func testFiftyRandomOrdersHold() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        try await runRandomOrders(50, on: graph)
        try await graph.close()
    }

    private func runRandomOrders(_ count: Int, on graph: SteppedGraph) async throws {
        let others = try await BusClient.connect(
            as: "org.pipebus.others", name: "Others", remote: graph.remote, allowsConnectionsToSelf: true)
        let app = try await BusClient.connect(
            as: "org.pipebus.app", name: "App", remote: graph.remote, allowsConnectionsToSelf: true)
        for seed in 0..<UInt64(count) {
            let order = try await RandomOrder(seed: seed, graph: graph, app: app, others: others)
            let fault = try await order.run()
            XCTAssertNil(fault, "seed \(seed)")
            await order.close()
        }
        await app.close()
        await others.close()
    }

    // MARK: With a daemon of PipeWire 1.4

    func testANewDaemonKeepsTheOrderToo() async throws {
        let newer = try PipeWireInstallation.newer()
        for first in ["in", "out"] {
            let scene = try await OrderScene.start(installation: newer)
            try await scene.add(first: first, ordered: true)
            try await scene.connect()
            let ages = try await scene.ages([1024, 64, 333, 8192, 16, 1024])
            XCTAssertEqual(ages, [0], "\(first) made first")
            try await scene.close()
        }
        let graph = try await SteppedGraph.start(installation: newer)
        try await runRandomOrders(20, on: graph)
        try await graph.close()
    }

    // MARK: What is refused

    func testCirclesAndBadNamesAreRefused() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        let app = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: graph.remote)
        _ = try await app.sender("a", after: ["b"], state: ()) { _, _, _ in }
        _ = try await app.filter("b", after: ["c"], state: ()) { _, _, _, _ in }
        let bad: [(name: String, after: [String], words: String)] = [
            ("c", ["a"], "\"c\" after \"a\" after \"b\" after \"c\""), ("d", ["d"], "cannot run after itself"),
            ("d", [""], "may not be empty"), ("d", ["x:y"], ": or /"),
            ("d", [String(repeating: "x", count: 200)], "bytes"),
            ("d", ["x\ny"], "control"),
        ]
        for (name, after, words) in bad {
            await assertThrows("\(name) after \(after)") {
                try await app.receiver(name, after: after, state: ()) { _, _, _ in }
            } _: { error in
                XCTAssertEqual((error as? PipeBusError)?.code, .invalidArgument)
                XCTAssertTrue("\(error)".contains(words), "\(error)")
            }
        }
        // The name is free still, and the two are as they were.
        _ = try await app.receiver("c", after: ["nobody"], state: ()) { _, _, _ in }
        // The second of two concurrent calls closes the circle, although neither port exists yet.
        async let first: Result<SenderPort, any Error> = Result.of {
            try await app.sender("e", after: ["f"], state: ()) { _, _, _ in }
        }
        async let second: Result<SenderPort, any Error> = Result.of {
            try await app.sender("f", after: ["e"], state: ()) { _, _, _ in }
        }
        let results = await [first, second]
        XCTAssertEqual(results.count { (try? $0.get()) != nil }, 1, "\(results)")
        await app.close()
        try await graph.close()
    }
}

extension OrderTests {
    func testPortsThatAreNotThereToRunAfterAreRefused() async throws {
        let graph = try await SteppedGraph.start(installation: .chosen)
        let app = try await BusClient.connect(as: "org.pipebus.app", name: "App", remote: graph.remote)
        let other = try await BusClient.connect(as: "org.pipebus.other", name: "Other", remote: graph.remote)
        // Two ports of one name, which only the client distinguishes.
        let own = try await app.receiver("in", state: ()) { _, _, _ in }
        let foreign = try await other.receiver("in", state: ()) { _, _, _ in }
        let closed = try await app.receiver("closed", state: ()) { _, _, _ in }
        await closed.close()
        // Another one of that name is another port.
        _ = try await app.receiver("closed", state: ()) { _, _, _ in }
        let cases: [(port: ReceiverPort, code: PipeBusError.Code, words: String)] = [
            (foreign, .invalidArgument, "\"in\" is of another client"),
            (closed, .closed, "\"closed\" was closed before"),
        ]
        let out = try await app.sender("out", after: [own], state: ()) { _, _, _ in }
        for (port, code, words) in cases {
            let calls: [(what: String, call: () async throws -> Void)] = [
                ("a sender", { _ = try await app.sender("x", after: [own, port], state: ()) { _, _, _ in } }),
                ("a filter", { _ = try await app.filter("x", after: [port], state: ()) { _, _, _, _ in } }),
                ("in place", { _ = try await app.inPlaceFilter("x", after: [port], state: ()) { _, _, _ in } }),
                ("a receiver", { _ = try await app.receiver("x", after: [port], state: ()) { _, _, _ in } }),
                ("separate", { _ = try await app.separateReceiver("x", after: [port], state: ()) { _, _, _ in } }),
                (
                    "a sender that follows",
                    { _ = try await app.sender("x", latency: .following(port), state: ()) { _, _, _ in } }
                ),
                ("a latency", { try await out.setLatency(.following(port)) }),
            ]
            for (what, call) in calls {
                await assertThrows("\(what) after \(port.name)", call) { error in
                    XCTAssertEqual((error as? PipeBusError)?.code, code, "\(what): \(error)")
                    XCTAssertTrue("\(error)".contains(words), "\(what): \(error)")
                }
            }
        }
        // Nothing is left of what was refused.
        _ = try await app.sender("x", latency: .following(own), after: [out], state: ()) { _, _, _ in }
        await app.close()
        await other.close()
        try await graph.close()
    }
}

extension Result where Failure == any Error {
    fileprivate static func of(_ work: () async throws -> Success) async -> Result {
        do { return .success(try await work()) } catch { return .failure(error) }
    }
}
