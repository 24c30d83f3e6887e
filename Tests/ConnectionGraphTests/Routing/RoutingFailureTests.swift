// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// Connections that cannot be made, or only in part.
final class RoutingFailureTests: RoutingPlanTestCase {
    func testAFailureIsTriedAgainLaterAndLater() throws {
        var world = try world("a/out > b/in")
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        let start = world.now
        world.outcomes = Array(repeating: .failed("Busy.", isFinal: false), count: 12)
        world.update()
        XCTAssertEqual(state(world), .failed("Busy."))
        XCTAssertTrue(world.status.isSettled)
        XCTAssertTrue(world.settle(within: .seconds(1000)))
        XCTAssertEqual(state(world), .connected(isMade: true))
        XCTAssertEqual(world.log.count, 13)
        XCTAssertEqual(
            start.duration(to: world.now), .milliseconds(250 + 500 + 1000 + 2000 + 4000 + 8000 + 16_000 + 5 * 30_000))
    }

    /// A node's id is another one the next time.
    func testAPortWithoutANameIsLeftOutOfARouting() throws {
        var fixture = GraphFixture()
        let app = fixture.client("App")
        let names = ["", "named", "in"].map { fixture.node($0, client: app) }
        let outputs = names.prefix(2).map { fixture.port("o", of: $0, index: 0, direction: "out") }
        let input = fixture.port("i", of: names[2], index: 0, direction: "in")
        for output in outputs { _ = fixture.link(output, input) }
        let graph = fixture.snapshot
        XCTAssertEqual(graph.ports.map(\.nodeName).sorted(), ["in", "named", "node \(names[0])"])
        let captured = try graph.routing()
        XCTAssertEqual(captured.preset.connections.map(\.source.node?.text), ["named"])
        XCTAssertEqual(captured.unrepeatableCount, 1)
        XCTAssertEqual(captured.leftOutCount, 1)
    }

    func testAFinalFailureIsTriedAgainWithOtherChannelsOnly() throws {
        var world = try world("a/out > b/in")
        world.add("a/out", .foreignSender, channels: 3)
        world.add("b/in", .foreignReceiver, channels: 2)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world), .failed("The channels do not go together."))
        world.pass(.seconds(100))
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.takeLog().count, 1)
        world.remove("b/in")
        world.add("b/in", .foreignReceiver, channels: 3)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world), .connected(isMade: true))
    }

    func testALevelWhereNoneIsKeptFailsAtOnce() throws {
        for (kind, extra) in [
            (RoutingWorld.Kind.receiver, [PipeBusProperty.isSeparate: "true"]), (.foreignReceiver, [:]), (.filter, [:]),
        ] {
            var world = try RoutingWorld([try RoutingConnection("a/out > b/in", level: RoutingLevel(volume: 0.5))])
            world.add("a/out", .sender)
            world.add("b/in", kind, extra: extra)
            let start = world.now
            XCTAssertTrue(world.settle())
            XCTAssertEqual(world.now, start)
            XCTAssertEqual(state(world), .connected(isMade: true))
            XCTAssertEqual(
                world.status.connections[0].levelProblem,
                "in keeps no levels of its sources: only a receiver made with PipeBus that mixes does.")
            XCTAssertEqual(world.log.count, 1)
        }
    }

    func testLinksThatAreRemovedWhileTheyAreMade() throws {
        var world = try world("a/out > b/in")
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        world.outcomes = [.removed]
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world), .removed)
    }

    /// Another program makes it, and takes it away again: never in a tight loop.
    func testAConnectionThatOthersMakeAtTheSameTime() throws {
        var world = try world("a/out > b/in")
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        world.outcomes = Array(repeating: .alreadyConnected, count: 8)
        let start = world.now
        XCTAssertTrue(world.settle(within: .seconds(100)))
        XCTAssertEqual(state(world), .connected(isMade: true))
        XCTAssertGreaterThan(start.duration(to: world.now), .seconds(2))
    }

    func testAPartIsCompletedAfterAMoment() throws {
        var world = try world("a/out > b/in")
        world.add("a/out", .foreignSender, channels: 2)
        world.add("b/in", .foreignReceiver, channels: 2)
        world.link("a/out", "b/in", [(0, 0)])
        world.update()
        XCTAssertEqual(world.log, [])
        XCTAssertFalse(world.status.isSettled)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.graph.connections.first?.links.count, 2)
        // Whoever takes one away later wants that.
        let links = world.graph.connections[0].links
        world.unlink(Connection(source: world.port("a/out").id, destination: world.port("b/in").id, links: [links[1]]))
        world.pass(.seconds(10))
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.graph.connections.first?.links.count, 1)
    }

    func testOtherChannelsAreSaid() throws {
        var world = try world("a/out > b/in")
        world.add("a/out", .foreignSender, channels: 2)
        world.add("b/in", .foreignReceiver, channels: 2)
        world.link("a/out", "b/in", [(0, 1), (1, 0)])
        XCTAssertTrue(world.settle())
        guard case .failed(let reason) = state(world) else { return XCTFail("\(world.status)") }
        XCTAssertTrue(reason.contains("other channels"))
        world.unlink("a/out", "b/in")
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world), .connected(isMade: true))
        XCTAssertEqual(world.log.count, 1)
    }
}
