// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// The rows of the table in Docs/Patchbay.md.
final class RoutingPlanTests: RoutingPlanTestCase {
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
}
