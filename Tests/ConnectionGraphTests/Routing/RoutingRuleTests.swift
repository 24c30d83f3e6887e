// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// Several ports with the same names, and rules that fit several ports.
final class RoutingRuleTests: RoutingPlanTestCase {
    func testTwinsKeepTheirNumbers() throws {
        var world = try RoutingWorld([
            RoutingConnection(from: try PortMatcher(end: "a/out", number: 1), to: try PortMatcher(end: "b/in")),
            RoutingConnection(from: try PortMatcher(end: "a/out", number: 2), to: try PortMatcher(end: "c/in")),
        ])
        world.add("b/in", .receiver)
        world.add("c/in", .receiver)
        world.add("a/out", .sender)
        world.add("a/out", .sender)
        XCTAssertTrue(world.settle())
        let (first, second) = (world.ports("a/out")[0].id, world.ports("a/out")[1].id)
        XCTAssertNotNil(world.graph.connection(from: first, to: world.port("b/in").id))
        XCTAssertNotNil(world.graph.connection(from: second, to: world.port("c/in").id))
        world.remove("a/out", oldest: true)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world, 0), .waiting(for: ["out of a"]))
        XCTAssertEqual(state(world, 1), .connected(isMade: true))
        world.add("a/out", .sender)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.graph.connections.count, 2)
        XCTAssertTrue(world.isConnected("a/out", "b/in"))
    }

    /// The old one may still be there when an app is started again.
    func testATwinTakesThePlaceOfTheOneBeforeIt() throws {
        var world = try world("a/out > b/in")
        world.add("b/in", .receiver)
        world.add("a/out", .sender)
        XCTAssertTrue(world.settle())
        world.add("a/out", .sender)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.graph.connections.count, 1)
        world.remove("a/out", oldest: true)
        XCTAssertTrue(world.settle())
        XCTAssertTrue(world.isConnected("a/out", "b/in"))
    }

    func testARuleConnectsEachPairOnceAndNeverAnAppToItself() throws {
        var world = try world("-/out* > b/in", "a/out1 > b/in")
        for name in ["a/out1", "a/out2", "c/out", "c/other"] { world.add(name, .sender) }
        world.add("b/in", .receiver)
        world.add("b/out", .sender)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.graph.connections.count, 3)
        XCTAssertEqual(Set(world.log), ["out1 > in", "out2 > in", "out > in"])
        let own = world.status.connections.filter { $0.source == world.port("b/out").id }
        XCTAssertEqual(own.map(\.state), [.leftOut("Both are ports of one app.")])
        XCTAssertTrue(world.status.isWhole)
        // The second connection means one of the first.
        XCTAssertEqual(world.status.connections.map(\.index), [0, 0, 0, 0])
    }

    func testARuleClosesNoLoop() throws {
        for kind in [RoutingWorld.Kind.filter, .foreignFilter] {
            var world = try world("-/x* > -/x*")
            for name in ["a/x1", "b/x2", "c/x3"] { world.add(name, kind) }
            XCTAssertTrue(world.settle())
            // Each pair in one direction.
            XCTAssertEqual(world.log, ["x1 > x2", "x1 > x3", "x2 > x3"])
            for port in world.graph.ports {
                XCTAssertEqual(
                    world.graph.wouldCloseLoop(from: port.id, to: port.id), kind == .filter ? .yes : .unknown)
                XCTAssertFalse(world.graph.destinations(of: port.id).contains { $0.id == port.id })
            }
            // Of those that were left out, one may be made when the other way is gone.
            world.unlink("a/x1", "b/x2")
            XCTAssertTrue(world.settle(within: .seconds(3)))
            XCTAssertTrue(world.isConnected("b/x2", "a/x1"))
        }
    }

    /// What a person names is made, also a loop.
    func testNamedPortsMayCloseALoop() throws {
        var world = try world("a/x > b/y", "b/y > a/x")
        world.add("a/x", .filter)
        world.add("b/y", .filter)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.graph.connections.count, 2)
    }

    func testAnAppNameMeansNoAuxiliaryInputAndNoMonitor() throws {
        var world = try world("a/- > b/-")
        world.add("a/out", .sender)
        world.add("b/in", .receiver, extra: [PipeBusProperty.auxiliaryOf: "duck"])
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.log, [])
        world.add("b/mix", .receiver)
        world.add(
            "a/mix", .receiver,
            extra: [PipeBusProperty.monitors: "true", PipeBusProperty.monitorsAutomatically: "true"])
        world.add("a/mix-monitor", .sender)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.log, ["out > mix"])
    }

    func testARuleIsBounded() throws {
        var world = try world("-/s* > -/d*")
        for index in 0..<40 {
            world.add("a\(index)/s\(index)", .foreignSender)
            world.add("b\(index)/d\(index)", .foreignReceiver)
        }
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.graph.connections.count, RoutingPreset.mostConnections)
        XCTAssertFalse(world.status.isComplete)
        XCTAssertFalse(world.status.isWhole)
    }

    /// Not all at once: each waits for the daemon.
    func testActionsAreBounded() throws {
        var world = try world("-/s* > b/in")
        world.isPrompt = false
        for index in 0..<40 { world.add("a/s\(index)", .foreignSender) }
        world.add("b/in", .foreignReceiver)
        world.update()
        XCTAssertEqual(world.underWay.count, RoutingPlan.mostActions)
        XCTAssertNil(world.plan.nextUpdate)
        while !world.underWay.isEmpty {
            world.finishOne(at: 0)
            world.update()
            XCTAssertLessThanOrEqual(world.underWay.count, RoutingPlan.mostActions)
        }
        XCTAssertEqual(world.graph.connections.count, 40)
    }
}
