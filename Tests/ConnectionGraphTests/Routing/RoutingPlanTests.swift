// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// The rows of the table in Docs/Patchbay.md.
final class RoutingPlanTests: XCTestCase {
    private func state(_ world: RoutingWorld, _ index: Int = 0) -> RoutingStatus.State? {
        world.status.connections.first { $0.index == index }?.state
    }

    private func world(_ connections: String...) throws -> RoutingWorld {
        try RoutingWorld(connections.map { try RoutingConnection($0) })
    }

    func testAConnectionIsMadeOnceBothPortsAreThereInAnyOrder() throws {
        for order in [["a/out", "b/in"], ["b/in", "a/out"]] {
            var world = try world("a/out > b/in")
            world.update()
            XCTAssertEqual(state(world), .waiting(for: ["out of a", "in of b"]))
            world.add(order[0], order[0] == "a/out" ? .sender : .receiver)
            world.update()
            XCTAssertEqual(state(world), .waiting(for: [order[0] == "a/out" ? "in of b" : "out of a"]))
            XCTAssertEqual(world.log, [])
            world.add(order[1], order[1] == "a/out" ? .sender : .receiver)
            XCTAssertTrue(world.settle())
            XCTAssertEqual(state(world), .connected(isMade: true))
            XCTAssertTrue(world.status.isWhole)
            world.pass(.seconds(100))
            world.update()
            XCTAssertEqual(world.log, ["out > in"])
        }
    }

    func testAConnectionThatIsThereIsLeftAlone() throws {
        var world = try world("a/out > b/in")
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        world.link("a/out", "b/in")
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world), .connected(isMade: false))
        XCTAssertEqual(world.log, [])
    }

    func testAnAppThatComesBack() throws {
        for name in ["a/out", "b/in"] {
            var world = try world("a/out > b/in")
            world.add("a/out", .sender)
            world.add("b/in", .receiver)
            XCTAssertTrue(world.settle())
            for _ in 0..<5 {
                world.remove(name)
                world.update()
                world.pass(.seconds(10))
                XCTAssertTrue(world.settle())
                guard case .waiting = state(world) else { return XCTFail("\(String(describing: state(world)))") }
                world.add(name, name == "a/out" ? .sender : .receiver)
                XCTAssertTrue(world.settle())
                XCTAssertEqual(state(world), .connected(isMade: true))
            }
            XCTAssertEqual(world.log.count, 6)
        }
    }

    /// The links of an app that ends go before its port does.
    func testLinksThatGoBeforeTheirPortAreNoRemoval() throws {
        var world = try world("a/out > b/in")
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        for _ in 0..<5 {
            XCTAssertTrue(world.settle())
            world.unlink("a/out", "b/in")
            world.update()
            XCTAssertEqual(world.status.isSettled, false)
            world.pass(.milliseconds(400))
            world.update()
            world.remove("a/out")
            world.update()
            world.pass(.seconds(1))
            world.add("a/out", .sender)
        }
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.log.count, 6)
    }

    func testTheFirstRemovalDropsItWhileBothPortsAreThere() throws {
        var world = try world("a/out > b/in")
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        XCTAssertTrue(world.settle())
        world.unlink("a/out", "b/in")
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world), .removed)
        XCTAssertFalse(world.status.isWhole)
        world.pass(.seconds(1000))
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.takeLog(), ["out > in"])
        // An app comes back: it is made again, and the second removal is the last.
        world.remove("b/in")
        world.update()
        world.add("b/in", .receiver)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.takeLog(), ["out > in"])
        world.unlink("a/out", "b/in")
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world), .stopped)
        world.remove("b/in")
        world.update()
        world.add("b/in", .receiver)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world), .stopped)
        world.restartDaemon()
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world), .stopped)
        XCTAssertEqual(world.takeLog(), [])
        // Somebody connects the two all the same.
        world.link("a/out", "b/in")
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world), .connected(isMade: false))
        world.unlink("a/out", "b/in")
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world), .stopped)
    }

    func testARemovalThatSomebodyTakesBackIsForgotten() throws {
        var world = try world("a/out > b/in")
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        for _ in 0..<4 {
            XCTAssertTrue(world.settle())
            world.unlink("a/out", "b/in")
            XCTAssertTrue(world.settle())
            XCTAssertEqual(state(world), .removed)
            world.link("a/out", "b/in")
            world.update()
            XCTAssertEqual(state(world), .connected(isMade: false))
        }
        XCTAssertEqual(world.log.count, 1)
    }

    /// A receiver may move a source to another lane.
    func testLinksThatComeBackInAMomentAreNoRemoval() throws {
        var world = try world("a/out > b/in")
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        XCTAssertTrue(world.settle())
        for lane in [1, 2, 0] {
            world.unlink("a/out", "b/in")
            world.update()
            world.pass(.milliseconds(300))
            world.link("a/out", "b/in", [(0, lane)])
            XCTAssertTrue(world.settle())
            XCTAssertEqual(state(world), .connected(isMade: true))
        }
        XCTAssertEqual(world.log.count, 1)
    }

    func testTheDaemonComesBack() throws {
        var world = try world("a/out > b/in")
        for _ in 0..<3 {
            world.add("b/in", .receiver)
            world.update()
            world.add("a/out", .sender)
            XCTAssertTrue(world.settle())
            XCTAssertTrue(world.isConnected("a/out", "b/in"))
            world.restartDaemon()
        }
        XCTAssertEqual(world.log.count, 3)
    }

    /// The next daemon counts serials from the beginning: a port is another one although it has the same id.
    func testWhatIsUnderWayEndsWithTheSession() throws {
        var world = try world("a/out > b/in")
        world.isPrompt = false
        for _ in 0..<40 {
            world.add("a/out", .sender)
            world.add("b/in", .receiver)
            world.update()
            XCTAssertEqual(world.underWay.count, 1)
            world.restartDaemon()
        }
        XCTAssertEqual(world.log.count, 40)
    }

    /// A source that hangs is disconnected by the receiver, and has its lane still.
    func testAStalledSourceIsNotRemoved() throws {
        var world = try world("a/out > b/in")
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        XCTAssertTrue(world.settle())
        world.change("b/in", [PipeBusProperty.stalledSources: "\(world.port("a/out").id.serial)"])
        world.unlink("a/out", "b/in")
        XCTAssertTrue(world.settle())
        XCTAssertEqual(state(world), .connected(isMade: true))
        XCTAssertEqual(world.log.count, 1)
    }

    // MARK: Failures

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

    // MARK: Levels and bypasses

    func testALevelIsSetOncePerPresence() throws {
        var world = try RoutingWorld([try RoutingConnection("a/out > b/in", level: RoutingLevel(volume: 0.5))])
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.takeLog(), ["out > in", "out at in 0.5"])
        world.unlink("a/out", "b/in")
        world.update()
        world.link("a/out", "b/in")
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.takeLog(), [])
        world.remove("a/out")
        world.update()
        world.add("a/out", .sender)
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.takeLog(), ["out > in", "out at in 0.5"])
        // Also of one that was there.
        world.restartDaemon()
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        world.link("a/out", "b/in")
        XCTAssertTrue(world.settle())
        XCTAssertEqual(world.takeLog(), ["out at in 0.5"])
    }

    func testALevelThatCannotBeSetIsGivenUp() throws {
        var world = try RoutingWorld([try RoutingConnection("a/out > b/in", level: RoutingLevel(volume: 0.5))])
        world.add("a/out", .sender)
        world.add("b/in", .receiver)
        world.link("a/out", "b/in")
        world.outcomes = Array(repeating: .failed("Deaf.", isFinal: false), count: 100)
        XCTAssertTrue(world.settle(within: .seconds(1000)))
        XCTAssertEqual(world.status.connections.first?.levelProblem, "Deaf.")
        XCTAssertFalse(world.status.isWhole)
        XCTAssertEqual(world.log.count, RoutingDelay.mostSettingAttempts)
    }

    func testBypassesAreSetOncePerPresence() throws {
        var world = try RoutingWorld([], [RoutingBypass(try PortMatcher(end: "f/echo"), isBypassed: true)])
        world.add("f/echo", .filter)
        XCTAssertTrue(world.settle())
        XCTAssertTrue(world.port("f/echo").isBypassed)
        world.change("f/echo", [PipeBusProperty.isBypassed: "false"])
        world.pass(.seconds(10))
        XCTAssertTrue(world.settle())
        XCTAssertFalse(world.port("f/echo").isBypassed)
        world.remove("f/echo")
        world.add("f/echo", .filter)
        XCTAssertTrue(world.settle())
        XCTAssertTrue(world.port("f/echo").isBypassed)
        XCTAssertEqual(world.log, ["echo true", "echo true"])
        XCTAssertEqual(world.status.bypasses.map(\.isSet), [true])
    }

    // MARK: Names and rules

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
