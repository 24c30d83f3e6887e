// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import ConnectionGraph

/// The rules about connections of an app to itself, in random graphs, beside what their definitions say word for word.
final class ForbiddenReturnReferenceTests: XCTestCase {
    func testForbiddenReturnsAreThoseOfTheDefinition() {
        var found = 0
        for seed in 0..<600 as Range<UInt64> {
            let graph = Self.graph(seed)
            let returns = graph.forbiddenReturns()
            XCTAssertEqual(returns, Self.forbiddenReturns(in: graph), "seed \(seed)")
            found += returns.count
        }
        XCTAssertGreaterThan(found, 600)
    }

    func testASelfConnectionIsTheNearestPairOfPorts() {
        var found = 0
        for seed in 0..<200 as Range<UInt64> {
            let graph = Self.graph(seed)
            for source in graph.ports {
                for destination in graph.ports {
                    let pair = graph.selfConnection(from: source, to: destination)
                    let expected = Self.selfConnection(from: source, to: destination, in: graph)
                    XCTAssertEqual(pair?.source, expected?.source, "seed \(seed)")
                    XCTAssertEqual(pair?.destination, expected?.destination, "seed \(seed)")
                    if pair != nil { found += 1 }
                }
            }
        }
        XCTAssertGreaterThan(found, 200)
    }

    /// More than 64 apps with two ports each, so that their keys do not fit into one number.
    func testManyAppsWithSeveralPorts() {
        var topology = Topology()
        for app in 0..<150 {
            topology.add("out\(app)", .sender("app\(app)"))
            topology.add("in\(app)", .receiver("app\(app)"))
        }
        topology.add("fx", .filter("effects"))
        for app in 0..<150 where app.isMultiple(of: 2) { topology.connect("out\(app) > fx") }
        for app in 0..<150 { topology.connect("fx > in\(app)") }
        let graph = topology.snapshot
        let names = graph.forbiddenReturns().map { graph.port($0.destination)!.nodeName }
        XCTAssertEqual(names, (0..<75).map { "in\(148 - 2 * $0)" })
    }

    /// Recursion would need more stack than there is.
    func testALoopOfManyFiltersHasOneReturn() {
        var topology = Topology()
        let count = 3000
        for number in 0..<count { topology.add("fx\(number)", .filter("app\(number)")) }
        for number in 0..<count { topology.connect("fx\(number) > fx\((number + 1) % count)") }
        let graph = topology.snapshot
        XCTAssertEqual(graph.forbiddenReturns().map { graph.port($0.source)!.nodeName }, ["fx\(count - 1)"])
    }

    // MARK: The definitions

    /// The youngest forbidden connection is silenced, with all that its lanes silence, until there is none.
    private static func forbiddenReturns(in whole: GraphSnapshot) -> [Connection] {
        var graph = whole
        var found: [Connection] = []
        func youngest() -> Connection? {
            graph.connections.filter { graph.isForbiddenReturn($0.source, to: $0.destination) == .yes }
                .max { $0.youngestSerial < $1.youngestSerial }
        }
        while let connection = youngest() {
            found.append(connection)
            graph = whole.withoutSilenced(by: found)
        }
        return found
    }

    private static func selfConnection(
        from source: GraphPort, to destination: GraphPort, in graph: GraphSnapshot
    ) -> (source: GraphPort, destination: GraphPort)? {
        func reached(_ port: GraphPort, _ direction: GraphSnapshot.Direction) -> [GraphPort] {
            [port] + (port.isTransparent ? graph.reached(from: port.id, direction, through: \.isTransparent) : [])
        }
        for begin in reached(source, .upstream) {
            for end in reached(destination, .downstream) where graph.isOneApp(begin, end) {
                if !begin.allowsConnectionsToSelf || !end.allowsConnectionsToSelf { return (begin, end) }
            }
        }
        return nil
    }

    // MARK: Random graphs

    /// A few apps and processes with filters, senders and receivers of up to three lanes, and nodes of others.
    private static func graph(_ seed: UInt64) -> GraphSnapshot {
        var random = SeededGenerator(seed: seed)
        var fixture = GraphFixture()
        let clients = (0..<Int.random(in: 1...6, using: &random)).map { number in
            var properties = ["pipewire.sec.pid": "\(Int.random(in: 1...6, using: &random))"]
            if Int.random(in: 0..<6, using: &random) == 0 { properties["client.api"] = "pipewire-pulse" }
            return fixture.client(
                "app\(number)", id: "org.example.\(Int.random(in: 0..<4, using: &random))", extra: properties)
        }
        var outputs: [UInt32] = []
        var inputs: [UInt32] = []
        for number in 0..<Int.random(in: 2...12, using: &random) {
            let kind = Int.random(in: 0..<10, using: &random)
            var properties: [String: String] = [:]
            // A hostile app declares a receiver or a sender with inputs and outputs.
            let declared: PortKind? = kind < 5 ? .filter : kind < 7 ? .receiver : kind < 9 ? .sender : nil
            properties[PipeBusProperty.kind] = declared?.rawValue
            properties[PipeBusProperty.laneWidth] = "1"
            if Bool.random(using: &random) { properties[PipeBusProperty.allowsSelf] = "true" }
            if Bool.random(using: &random) { properties[PipeBusProperty.selfScope] = "application" }
            let client = Int.random(in: 0..<12, using: &random) == 0 ? nil : clients.randomElement(using: &random)
            let node = fixture.node("node\(number)", client: client, extra: properties)
            let isHostile = Int.random(in: 0..<6, using: &random) == 0
            if kind < 7 || kind == 9 || isHostile {
                for index in 0..<Int.random(in: 1...3, using: &random) {
                    inputs.append(fixture.port("in\(index)", of: node, index: index, direction: "in"))
                }
            }
            if kind < 5 || kind > 6 || isHostile {
                outputs.append(fixture.port("out", of: node, index: 3, direction: "out"))
            }
        }
        guard !outputs.isEmpty, !inputs.isEmpty else { return fixture.snapshot }
        for _ in 0..<Int.random(in: 0...25, using: &random) {
            _ = fixture.link(outputs.randomElement(using: &random)!, inputs.randomElement(using: &random)!)
        }
        return fixture.snapshot
    }
}
