// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import ConnectionGraph

/// Plans of changes, and their application to sets of pairs of names.
final class ChangePlanTests: XCTestCase {
    private typealias Edges = Set<[String]>

    private func edges(_ graph: GraphSnapshot) -> Edges {
        Set(graph.connections.map { [$0.source, $0.destination].map { graph.port($0)!.nodeName } })
    }

    private func apply(_ change: ConnectionChange, to edges: Edges) -> Edges {
        let names = { (items: [ConnectionChange.Item]) in
            Set(items.map { [$0.source.nodeName, $0.destination.nodeName] })
        }
        XCTAssertTrue(names(change.connected).isDisjoint(with: edges), "connected twice: \(change)")
        XCTAssertTrue(names(change.disconnected).isSubset(of: edges), "not connected: \(change)")
        return edges.subtracting(names(change.disconnected)).union(names(change.connected))
    }

    func testAFilterIsInserted() throws {
        let scene = Topology(["a": .sender("A"), "f": .filter("F"), "r": .receiver("R")], ["a > r"])
        let change = try scene.snapshot.change(
            inserting: scene.port("f"), from: scene.port("a"), to: scene.port("r"))
        XCTAssertEqual(change.connected.map(\.source.nodeName), ["a", "f"], "upstream first")
        XCTAssertEqual(apply(change, to: edges(scene.snapshot)), [["a", "f"], ["f", "r"]])
    }

    func testAFilterThatHasSourcesAlreadyKeepsThem() throws {
        let scene = Topology(
            ["a": .sender("A"), "b": .sender("B"), "f": .filter("F"), "r": .receiver("R")],
            ["a > r", "b > f", "f > r"])
        let change = try scene.snapshot.change(
            inserting: scene.port("f"), from: scene.port("a"), to: scene.port("r"))
        XCTAssertEqual(apply(change, to: edges(scene.snapshot)), [["a", "f"], ["b", "f"], ["f", "r"]])
    }

    func testAFilterWithSeveralSourcesAndDestinationsIsTakenOut() throws {
        let scene = Topology(
            ["a": .sender("A"), "b": .sender("B"), "f": .filter("F"), "r": .receiver("R"), "s": .receiver("S")],
            ["a > f", "b > f", "f > r", "f > s", "f > f", "a > r"])
        let change = try scene.snapshot.change(takingOut: scene.port("f"))
        XCTAssertEqual(
            apply(change, to: edges(scene.snapshot)), [["a", "r"], ["b", "r"], ["a", "s"], ["b", "s"]])
    }

    /// A source that hangs is disconnected. It is named, and not the filter that lacks it.
    func testAFilterBesideAPortThatHangsIsNotTakenOut() {
        for hangs in ["a", "f"] {
            var scene = Topology()
            scene.add("a", .sender("A"))
            for (name, source, node) in [("f", "a", Topology.Node.filter("F")), ("r", "f", .receiver("R"))] {
                scene.portProperties =
                    source == hangs ? [PipeBusProperty.stalledSources: "\(scene.port(source).id.serial)"] : [:]
                scene.add(name, node)
                if source != hangs { scene.connect("\(source) > \(name)") }
            }
            let expected =
                hangs == "a"
                ? ChangeFault.notConnected(source: scene.port("a"), destination: scene.port("f"))
                : .notConnected(source: scene.port("f"), destination: scene.port("r"))
            XCTAssertThrowsError(try scene.snapshot.change(takingOut: scene.port("f"))) {
                XCTAssertEqual($0 as? ChangeFault, expected)
            }
        }
    }

    func testFaults() {
        let scene = Topology(
            ["a": .sender("A"), "f": .filter("F"), "g": .filter("G"), "r": .receiver("R")], ["a > r", "a > f"])
        let (a, f, g, r) = (scene.port("a"), scene.port("f"), scene.port("g"), scene.port("r"))
        func assert(_ fault: ChangeFault, _ plan: () throws(ChangeFault) -> ConnectionChange, line: UInt = #line) {
            do throws(ChangeFault) {
                XCTFail("\(try plan())", line: line)
            } catch { XCTAssertEqual(error, fault, line: line) }
        }
        let graph = scene.snapshot
        assert(.notConnected(source: f, destination: r)) { () throws(ChangeFault) in
            try graph.change(inserting: g, from: f, to: r)
        }
        assert(.samePort(a)) { () throws(ChangeFault) in try graph.change(inserting: a, from: a, to: r) }
        assert(.notBetween(f)) { () throws(ChangeFault) in try graph.change(takingOut: f) }
        assert(.tooShort) { () throws(ChangeFault) in try graph.change(connecting: [a]) }
        assert(.brokenPath(r)) { () throws(ChangeFault) in try graph.change(connecting: [a, r, f]) }
        assert(.samePort(a)) { () throws(ChangeFault) in try graph.change(replacing: a, at: r, with: a) }
    }

    func testOfAPipelineGoesWhatNoOtherNeeds() throws {
        let scene = Topology(
            ["a": .sender("A"), "b": .sender("B"), "f": .filter("F"), "g": .filter("G"), "r": .receiver("R")],
            ["a > f", "f > g", "g > r", "b > g"])
        let pipeline = try XCTUnwrap(scene.snapshot.pipelines.first { $0.origin.nodeName == "a" })
        let change = try scene.snapshot.change(disconnecting: pipeline.id)
        XCTAssertEqual(apply(change, to: edges(scene.snapshot)), [["g", "r"], ["b", "g"]])

        let crossed = Topology(
            ["a": .sender("A"), "b": .sender("B"), "f": .filter("F"), "r": .receiver("R"), "s": .receiver("S")],
            ["a > f", "b > f", "f > r", "f > s"])
        for pipeline in crossed.snapshot.pipelines {
            XCTAssertThrowsError(try crossed.snapshot.change(disconnecting: pipeline.id)) {
                XCTAssertEqual($0 as? ChangeFault, .sharedPipeline)
            }
        }
    }

    /// The channels that were connected come back as they were.
    func testTheInverseHasTheChannels() throws {
        var scene = Topology(["a": .sender("A"), "f": .filter("F"), "r": .receiver("R")])
        for name in ["a", "f", "r"] { scene.widen(name) }
        scene.connect("a > r")
        let change = try scene.snapshot.change(
            inserting: scene.port("f"), from: scene.port("a"), to: scene.port("r"))
        XCTAssertEqual(change.connected.map(\.channels), [.matching, .matching])
        XCTAssertEqual(change.inverse.connected.map(\.channels), [.pairs([.init("out", "in")])])
        scene.connectRight("a > r")
        let whole = try scene.snapshot.change(
            inserting: scene.port("f"), from: scene.port("a"), to: scene.port("r"))
        XCTAssertEqual(whole.inverse.connected.map(\.channels), [.matching])
    }

    /// Random graphs and random changes, carried out in a copy of the graph, and undone in it.
    func testAnyChangeAndItsInverse() throws {
        var counts: [String: Int] = [:]
        for seed in 0..<800 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let names = (0..<7).map { "p\($0)" }
            var scene = Topology()
            for (index, name) in names.enumerated() {
                scene.add(name, [.filter(name), .sender(name), .receiver(name), .foreignFilter][index % 4])
            }
            var present: Edges = []
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let edge = [names.randomElement(using: &random)!, names.randomElement(using: &random)!]
                guard !scene.port(edge[0]).outputs.isEmpty, !scene.port(edge[1]).inputs.isEmpty,
                    present.insert(edge).inserted
                else { continue }
                scene.connect("\(edge[0]) > \(edge[1])")
            }
            let graph = scene.snapshot
            XCTAssertEqual(edges(graph), present)
            let any = { (random: inout SeededGenerator) in scene.port(names.randomElement(using: &random)!) }
            let kind = Int.random(in: 0..<5, using: &random)
            guard let edge = present.sorted(by: { $0.joined() < $1.joined() }).randomElement(using: &random) else {
                continue
            }
            let (source, destination) = (scene.port(edge[0]), scene.port(edge[1]))
            let change: ConnectionChange
            do throws(ChangeFault) {
                switch kind {
                case 0: change = try graph.change(inserting: any(&random), from: source, to: destination)
                case 1: change = try graph.change(takingOut: destination)
                case 2: change = try graph.change(replacing: source, at: destination, with: any(&random))
                case 3: change = try graph.change(connecting: (0..<4).map { _ in any(&random) })
                default:
                    guard let pipeline = graph.pipelines.randomElement(using: &random) else { continue }
                    change = try graph.change(disconnecting: pipeline.id)
                }
            } catch { continue }
            counts["\(kind)", default: 0] += 1
            let changed = apply(change, to: present)
            XCTAssertEqual(apply(change.inverse, to: changed), present)
            XCTAssertEqual(graph.remainder(of: change), change)
            XCTAssertTrue(graph.remainder(of: change.inverse).isEmpty)
            if kind == 4 {
                let gone = present.subtracting(changed)
                XCTAssertFalse(gone.isEmpty)
            }
            if kind == 1 {
                // Nobody who heard a source through the filter loses it.
                let filters = change.disconnected.flatMap { [$0.source.nodeName, $0.destination.nodeName] }
                for source in present where filters.contains(source[1]) {
                    for destination in present where destination[0] == source[1] && destination[1] != source[0] {
                        let isGone = !changed.contains(source) && !changed.contains(destination)
                        let isTaken = source[0] != source[1] && destination[1] != destination[0]
                        if isGone, isTaken { XCTAssertTrue(changed.contains([source[0], destination[1]]), "\(seed)") }
                    }
                }
            }
        }
        for kind in 0..<5 { XCTAssertGreaterThan(counts["\(kind)"] ?? 0, 20, "\(counts)") }
    }
}
