// SPDX-License-Identifier: MIT
import ConnectionGraph
import OrderModel
import SeededRandom
import XCTest

/// The requests of apps with `after:`, and their results.
final class PortOrderTests: XCTestCase {
    func testAPortMayComeBeforeOrAfterThoseItNames() throws {
        var order = PortOrder()
        try order.add("out", after: ["in", "in", "fx"])
        XCTAssertTrue(order.isNamed("in"))
        XCTAssertFalse(order.isNamed("out"))
        XCTAssertEqual(order.pairs(of: "out", among: ["out"]), [])
        try order.add("in", after: [])
        XCTAssertEqual(order.pairs(of: "in", among: ["out", "in"]), [.init(before: "in", after: "out")])
        try order.add("fx", after: ["in"])
        XCTAssertEqual(
            order.pairs(of: "fx", among: ["out", "in", "fx"]),
            [.init(before: "in", after: "fx"), .init(before: "fx", after: "out")])
        XCTAssertEqual(order.allBefore("out", among: ["out", "in", "fx"]), ["in", "fx"])
        XCTAssertEqual(order.allBefore("in", among: ["out", "in", "fx"]), [])
    }

    func testCirclesAreNamed() throws {
        var order = PortOrder()
        XCTAssertThrowsError(try order.add("a", after: ["a"])) { error in
            XCTAssertEqual(error as? PortOrder.Fault, .circle(["a", "a"]))
        }
        try order.add("a", after: ["b"])
        // "c" is not there, and comes with the circle.
        try order.add("b", after: ["c"])
        XCTAssertThrowsError(try order.add("c", after: ["x", "a"])) { error in
            XCTAssertEqual(error as? PortOrder.Fault, .circle(["c", "a", "b", "c"]))
        }
        XCTAssertEqual(order.pairs(of: "c", among: ["a", "b", "c"]), [.init(before: "c", after: "b")])
        try order.add("c", after: ["x"])
        // A removed port takes its own declaration along, and nothing else.
        order.remove("a")
        try order.add("x", after: ["a"])
        XCTAssertTrue(order.isNamed("a"))
        XCTAssertThrowsError(try order.add("a", after: ["b"]))
    }

    func testWhatWouldHoldUpPipeWireIsRefused() throws {
        var order = PortOrder()
        for number in 0..<PortOrder.longestChain {
            try order.add("\(number)", after: number > 0 ? ["\(number - 1)"] : [])
        }
        XCTAssertThrowsError(try order.add("last", after: ["\(PortOrder.longestChain - 1)"])) { error in
            XCTAssertEqual(error as? PortOrder.Fault, .tooLong)
        }
        order = PortOrder()
        XCTAssertThrowsError(
            try (0..<16).forEach { number in try order.add("\(number)", after: (0..<number).map { "\($0)" }) }
        ) { error in XCTAssertEqual(error as? PortOrder.Fault, .tooManyPaths) }
        // The other way round nothing is there yet, and the last one closes all ways.
        order = PortOrder()
        XCTAssertThrowsError(
            try (0..<16).reversed().forEach { number in try order.add("\(number)", after: (0..<number).map { "\($0)" })
            }
        ) { error in XCTAssertEqual(error as? PortOrder.Fault, .tooManyPaths) }
        // Many after many, as of all receivers and all senders, are few ways.
        order = PortOrder()
        for number in 0..<64 { try order.add("in\(number)", after: []) }
        for number in 0..<64 { try order.add("out\(number)", after: (0..<64).map { "in\($0)" }) }
    }

    func testTenThousandRandomOrdersHold() throws {
        var (pairs, loops, tangled) = (0, 0, 0)
        for seed in 0..<10_000 as Range<UInt64> {
            var scene = OrderScene(seed: seed)
            switch try scene.run() {
            case .holds(let count, let late):
                pairs += count
                loops += late
            case .tangled: tangled += 1
            case .broken(let text): XCTFail("seed \(seed): \(text)")
            }
        }
        print("orders: \(pairs) pairs, \(loops) audio links a cycle late, \(tangled) graphs that PipeWire cannot run")
        XCTAssertGreaterThan(pairs, 50_000)
        XCTAssertGreaterThan(loops, 5_000)
        XCTAssertLessThan(tangled, 100)
    }
}

/// Ports that are made in any order, gone and made again, while audio is connected all over.
private struct OrderScene {
    enum Result {
        case holds(pairs: Int, loops: Int)
        /// PipeWire's own faults, see `LinkDirections`: with an order it has more chances for them.
        case tangled
        case broken(String)
    }

    private var graph = OrderedGraph()
    private var generator: SeededGenerator
    private let count: Int
    private let after: [[Int]]

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...10, using: &generator)
        let density = Double.random(in: 0.1...0.9, using: &generator)
        let places = Array(0..<count).shuffled(using: &generator)
        after = (0..<count).map { port in
            (0..<count).filter { other in
                places[other] < places[port] && Double.random(in: 0..<1, using: &generator) < density
            }
        }
        self.count = count
        self.generator = generator
    }

    mutating func run() throws -> Result {
        for port in Array(0..<count).shuffled(using: &generator) {
            if let result = try make(port) { return result }
        }
        for _ in 0..<2 {
            let port = Int.random(in: 0..<count, using: &generator)
            graph.remove("\(port)")
            for (from, to) in graph.stale { graph.disconnect(from, from: to) }
            connectSome()
            if let result = try make(port) { return result }
        }
        // After all these changes a circle is still refused.
        if let port = (0..<count).first(where: { !after[$0].isEmpty }) {
            var copy = graph
            copy.remove("\(after[port][0])")
            do {
                try copy.add("\(after[port][0])", node: count + 9, after: ["\(port)"])
                return .broken("a circle was let in")
            } catch {}
        }
        return .holds(
            pairs: after.reduce(0) { $0 + $1.count }, loops: graph.directions.links.count { $0.isFeedback })
    }

    private mutating func make(_ port: Int) throws -> Result? {
        do {
            try graph.add("\(port)", node: port, after: after[port].map { "\($0)" })
        } catch {
            return .broken("\(error)")
        }
        if graph.directions.isTangled { return .tangled }
        connectSome()
        let broken = graph.broken
        return broken.isEmpty ? nil : .broken("\(broken)")
    }

    private mutating func connectSome() {
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            // The last two are of another app.
            let from = Int.random(in: 0..<count + 2, using: &generator)
            let to = Int.random(in: 0..<count + 2, using: &generator)
            let isThere = [from, to].allSatisfy { $0 >= count || graph.present.contains("\($0)") }
            guard from != to, isThere, !graph.isConnected(from, to: to) else { continue }
            var next = graph
            next.connect(from, to: to)
            // With an order or without: PipeWire would stand still.
            if !next.directions.isTangled { graph = next }
        }
    }
}
