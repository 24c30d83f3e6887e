// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import ConnectionGraph

/// Random routings in random graphs, whose ports and connections come and go.
final class RoutingPlanPropertyTests: XCTestCase {
    private static let apps = ["a", "b", "c"]
    private static let nodes = ["x", "y", "z"]

    private var random = SeededGenerator(seed: 0)
    /// Of the present seed.
    private var world: RoutingWorld!
    /// The ports that are there, with their kinds.
    private var present: [String: RoutingWorld.Kind] = [:]
    /// The pairs that somebody has disconnected while both ports are there.
    private var removed: Set<RoutingPlan.Pair> = []
    /// How often that was so, by the ports' names.
    private var removals: [String: Int] = [:]

    private func matcher() throws -> PortMatcher {
        let app = (Self.apps + ["*", "-", "?"]).randomElement(using: &random)!
        let node = (Self.nodes + ["*", "-"]).randomElement(using: &random)!
        if app == "-", node == "-" { return try PortMatcher(end: "a/x") }
        return try PortMatcher(end: "\(app == "?" ? "b*" : app)/\(node)")
    }

    private func start(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        (present, removed, removals) = ([:], [], [:])
        let connections = try (0..<Int.random(in: 1...5, using: &random)).map { _ in
            RoutingConnection(from: try matcher(), to: try matcher())
        }
        world = try RoutingWorld(connections)
    }

    private func disturb() {
        let name = "\(Self.apps.randomElement(using: &random)!)/\(Self.nodes.randomElement(using: &random)!)"
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<5:
            if present[name] == nil {
                let kind = RoutingWorld.Kind.allCases.randomElement(using: &random)!
                present[name] = kind
                world.add(name, kind)
            } else {
                present[name] = nil
                let id = world.port(name).id
                removed = removed.filter { $0.source != id && $0.destination != id }
                world.remove(name)
            }
        case 5..<8:
            // Only what has come to rest, so that it is known to be a removal.
            guard world.settle(), let connection = world.graph.connections.randomElement(using: &random) else { return }
            world.unlink(connection)
            guard world.settle() else { return }
            let pair = RoutingPlan.Pair(source: connection.source, destination: connection.destination)
            if wanted.contains(pair) {
                removed.insert(pair)
                removals[names(pair), default: 0] += 1
            }
        case 8:
            // Somebody connects two ports.
            let ports = world.graph.ports
            guard let source = ports.filter({ !$0.outputs.isEmpty }).randomElement(using: &random),
                let destination = ports.filter({ !$0.inputs.isEmpty }).randomElement(using: &random),
                world.settle(), world.graph.connection(from: source.id, to: destination.id) == nil
            else { return }
            let pair = RoutingPlan.Pair(source: source.id, destination: destination.id)
            world.link(fullName(source.id), fullName(destination.id))
            world.update()
            if removed.remove(pair) != nil, removals[names(pair)] == 1 { removals[names(pair)] = nil }
        case 9:
            (present, removed) = ([:], [])
            world.restartDaemon()
        default: world.pass(.milliseconds(Int.random(in: 0...800, using: &random)))
        }
    }

    private func fullName(_ id: GraphPort.ID) -> String {
        guard let port = world.graph.port(id) else { return "?" }
        return "\(world.graph.peer(of: port)?.applicationID ?? "?")/\(port.nodeName)"
    }

    private func names(_ pair: RoutingPlan.Pair) -> String {
        "\(fullName(pair.source)) > \(fullName(pair.destination))"
    }

    /// All pairs that the routing means, from its words.
    private var wanted: Set<RoutingPlan.Pair> {
        var pairs: Set<RoutingPlan.Pair> = []
        for connection in world.plan.preset.connections {
            for source in world.graph.ports
            where !source.outputs.isEmpty && connection.source.fits(source, in: world.graph) {
                for destination in world.graph.ports
                where !destination.inputs.isEmpty && connection.destination.fits(destination, in: world.graph) {
                    if connection.isRule, source.id == destination.id { continue }
                    pairs.insert(RoutingPlan.Pair(source: source.id, destination: destination.id))
                }
            }
        }
        return pairs
    }

    /// Whether only rules mean a pair, which then must not close a loop.
    private func isOfRules(_ pair: RoutingPlan.Pair) -> Bool {
        guard let source = world.graph.port(pair.source), let destination = world.graph.port(pair.destination) else {
            return true
        }
        return world.plan.preset.connections.first {
            $0.source.fits(source, in: world.graph) && $0.destination.fits(destination, in: world.graph)
        }?.isRule ?? true
    }

    private func check(_ seed: UInt64) {
        let graph = world.graph
        let connected = Set(graph.connections.map { RoutingPlan.Pair(source: $0.source, destination: $0.destination) })
        for pair in wanted where !connected.contains(pair) {
            let (source, destination) = (graph.port(pair.source)!, graph.port(pair.destination)!)
            if removed.contains(pair) || removals[names(pair), default: 0] >= 2 { continue }
            let isOneApp = source.peer == destination.peer
            let mayLoop = graph.wouldCloseLoop(from: pair.source, to: pair.destination) != .no
            if isOfRules(pair), isOneApp || mayLoop || graph.selfConnection(from: source, to: destination) != nil {
                continue
            }
            // Lanes are limited.
            if destination.isPipeBus, graph.sources(of: destination.id).count >= destination.laneCount { continue }
            XCTFail("\(names(pair)) is missing with seed \(seed): \(world.status.connections)")
        }
        for pair in removed {
            XCTAssertFalse(connected.contains(pair), "\(names(pair)) was made against somebody with seed \(seed)")
        }
        for connection in graph.connections {
            let pair = RoutingPlan.Pair(source: connection.source, destination: connection.destination)
            XCTAssertEqual(connection.links.count, 1, "\(names(pair)) was made twice with seed \(seed)")
        }
    }

    func testEverythingWantedIsThereInTheEndAndNothingIsMadeTwice() throws {
        var count = 0
        for seed in 0..<250 as Range<UInt64> {
            try start(seed: seed)
            for _ in 0..<25 {
                disturb()
                if Bool.random(using: &random) { world.update() }
            }
            XCTAssertTrue(world.settle(within: .seconds(60)), "seed \(seed)")
            // Those that rules left out are looked at again.
            world.pass(.seconds(2))
            XCTAssertTrue(world.settle(), "seed \(seed)")
            check(seed)
            count += world.log.count
            // A fixed point.
            _ = world.takeLog()
            for _ in 0..<3 {
                world.pass(.seconds(40))
                world.update()
            }
            XCTAssertTrue(
                world.log.allSatisfy { _ in
                    world.status.connections.contains { if case .failed = $0.state { true } else { false } }
                }, "seed \(seed)")
        }
        XCTAssertGreaterThan(count, 300)
    }

    /// Whatever the order and the outcome of actions: never two for one connection at a time, and none for a connection that is there.
    func testActionsOverlapInAnyOrder() throws {
        for seed in 0..<200 as Range<UInt64> {
            try start(seed: seed)
            world.isPrompt = false
            for _ in 0..<60 {
                disturbWithoutSettling()
                let before = world.underWay
                let connected = Set(
                    world.graph.connections.map { RoutingPlan.Pair(source: $0.source, destination: $0.destination) })
                world.update()
                for action in world.underWay.dropFirst(before.count) {
                    guard case .connect(let pair, _) = action else { continue }
                    XCTAssertFalse(connected.contains(pair), "seed \(seed)")
                    XCTAssertNotNil(world.graph.port(pair.source), "seed \(seed)")
                    XCTAssertTrue(wanted.contains(pair), "seed \(seed)")
                    checkRule(pair, seed)
                }
                XCTAssertEqual(Set(world.underWay).count, world.underWay.count, "seed \(seed)")
                XCTAssertLessThanOrEqual(world.underWay.count, RoutingPlan.mostActions, "seed \(seed)")
                if !world.underWay.isEmpty, Int.random(in: 0..<3, using: &random) > 0 {
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        world.outcomes = [
                            [.failed("No.", isFinal: false), .removed, .alreadyConnected].randomElement(using: &random)!
                        ]
                    }
                    world.finishOne(at: Int.random(in: 0..<world.underWay.count, using: &random))
                }
            }
        }
    }

    /// A rule closes no loop, also not with what is being made.
    private func checkRule(_ pair: RoutingPlan.Pair, _ seed: UInt64) {
        guard isOfRules(pair) else { return }
        let others = world.underWay.compactMap { action in
            if case .connect(let other, _) = action {
                (source: other.source, destination: other.destination)
            } else {
                nil
            }
        }
        let future = world.graph.connecting(others)
        XCTAssertEqual(
            future.wouldCloseLoop(from: pair.source, to: pair.destination), .no, "\(names(pair)), seed \(seed)")
        XCTAssertNotEqual(
            world.graph.port(pair.source)?.peer, world.graph.port(pair.destination)?.peer,
            "\(names(pair)), seed \(seed)")
    }

    private func disturbWithoutSettling() {
        let name = "\(Self.apps.randomElement(using: &random)!)/\(Self.nodes.randomElement(using: &random)!)"
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3:
            if present.removeValue(forKey: name) == nil {
                present[name] = RoutingWorld.Kind.allCases.randomElement(using: &random)!
                world.add(name, present[name]!)
            } else {
                // Actions on it are of no use any more.
                while let index = world.underWay.firstIndex(where: isAction(on: world.port(name).id)) {
                    world.outcomes = [.failed("It is gone.", isFinal: false)]
                    world.finishOne(at: index)
                }
                world.remove(name)
            }
        case 3:
            if let connection = world.graph.connections.randomElement(using: &random) { world.unlink(connection) }
        case 4 where Int.random(in: 0..<5, using: &random) == 0:
            present = [:]
            world.restartDaemon()
        default: world.pass(.milliseconds(Int.random(in: 0...300, using: &random)))
        }
    }

    private func isAction(on port: GraphPort.ID) -> (RoutingPlan.Action) -> Bool {
        { action in
            switch action {
            case .connect(let pair, _), .setLevel(let pair, _): pair.source == port || pair.destination == port
            case .setBypass(let filter, _): filter == port
            }
        }
    }
}
