// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import ConnectionGraph

final class GraphLatencyTests: XCTestCase {
    func testAPathAddsUpWhatItsPortsDeclare() throws {
        var graph = Topology()
        graph.add("tone", .sender("a"), latency: 10)
        graph.add("echo", .filter("b"), latency: 480)
        graph.add("amp", .filter("c"), latency: 0)
        graph.add("recorder", .receiver("d"), latency: 7)
        for ends in ["tone > echo", "echo > amp", "amp > recorder"] { graph.connect(ends) }

        XCTAssertEqual(graph.port("echo").latency, 480)
        let latencies = graph.snapshot.latencies
        XCTAssertEqual(latencies.latency(leaving: graph.id("tone")), .of(10))
        XCTAssertEqual(latencies.latency(leaving: graph.id("amp")), .of(490))
        XCTAssertEqual(latencies.latency(arrivingAt: graph.id("recorder")), .of(490))
        XCTAssertNil(latencies.latency(leaving: graph.id("recorder")))
        XCTAssertNil(latencies.latency(arrivingAt: graph.id("tone")))
        XCTAssertEqual(latencies.mismatch(at: graph.id("recorder")), 0)
        let pipeline = try XCTUnwrap(graph.snapshot.pipelines.first)
        XCTAssertEqual(pipeline.latency, .of(490))
    }

    func testTheWorstMismatchIsThatOfAllPaths() throws {
        var graph = Topology()
        graph.add("tone", .sender("a"), latency: 0)
        graph.add("echo", .filter("b"), latency: 480)
        graph.add("amp", .filter("c"), latency: 64)
        graph.add("recorder", .receiver("d"), latency: 0)
        for ends in ["tone > echo", "tone > amp", "echo > amp", "amp > recorder", "tone > recorder"] {
            graph.connect(ends)
        }
        let latencies = graph.snapshot.latencies
        XCTAssertEqual(latencies.latency(leaving: graph.id("amp")), .of(64...544))
        XCTAssertEqual(latencies.mismatch(at: graph.id("amp")), 480)
        XCTAssertEqual(latencies.mismatch(at: graph.id("recorder")), 544)
        XCTAssertEqual(
            graph.snapshot.pipelines(of: graph.id("recorder")).map(\.latency.frames.lowerBound).sorted(), [0, 64, 544])
    }

    func testNodesOfOthersMayPassTheirInputOnAndDeclareNothing() {
        var graph = Topology()
        graph.add("tone", .sender("a"), latency: 100)
        graph.add("jack", .foreignFilter)
        graph.add("recorder", .receiver("d"), latency: 0)
        graph.add("card", .microphone)
        graph.add("speakers", .speakers)
        for ends in ["tone > jack", "jack > recorder", "tone > speakers"] { graph.connect(ends) }
        let latencies = graph.snapshot.latencies
        XCTAssertNil(graph.port("jack").latency)
        XCTAssertEqual(
            latencies.latency(leaving: graph.id("jack")), DeclaredLatency(frames: 0...100, isComplete: false))
        XCTAssertEqual(latencies.latency(arrivingAt: graph.id("jack")), .of(100))
        XCTAssertEqual(
            latencies.latency(leaving: graph.id("card")), DeclaredLatency(frames: 0...0, isComplete: false))
        XCTAssertEqual(
            latencies.latency(leaving: graph.id("speakers")), DeclaredLatency(frames: 0...0, isComplete: false))
        XCTAssertEqual(
            graph.snapshot.pipelines(of: graph.id("jack")).map(\.latency),
            [DeclaredLatency(frames: 100...100, isComplete: false)])
    }

    func testTheYoungestConnectionOfALoopIsLeftOut() {
        var graph = Topology()
        for (name, latency) in [("one", 10), ("two", 100)] { graph.add(name, .filter(name), latency: latency) }
        graph.add("tone", .sender("a"), latency: 0)
        graph.add("recorder", .receiver("d"), latency: 0)
        for ends in ["tone > one", "one > two", "two > recorder", "two > one"] { graph.connect(ends) }
        let latencies = graph.snapshot.latencies
        XCTAssertEqual(
            latencies.latency(arrivingAt: graph.id("recorder")), DeclaredLatency(frames: 110...110, isComplete: false))
        XCTAssertEqual(
            latencies.latency(arrivingAt: graph.id("one")), DeclaredLatency(frames: 0...0, isComplete: false))
    }

    func testAFilterThatIsConnectedToItself() {
        var graph = Topology()
        graph.add("one", .filter("a"), latency: 10)
        graph.connect("one > one")
        XCTAssertEqual(
            graph.snapshot.latencies.latency(leaving: graph.id("one")),
            DeclaredLatency(frames: 10...10, isComplete: false))
    }

    func testWhatAnotherProcessWroteIsClamped() {
        for (text, frames) in [
            ("-5", 0), ("99999999999", 1_048_576), ("99999999999999999999", nil), ("", nil), ("many", nil), ("12", 12),
        ] as [(String, Int?)] {
            var graph = Topology()
            graph.portProperties = [PipeBusProperty.latency: text]
            graph.add("tone", .sender("a"))
            XCTAssertEqual(graph.port("tone").latency, frames, text)
        }
    }

    func testALongChainIsClamped() {
        var graph = Topology()
        for index in 0..<1100 {
            graph.add("f\(index)", .filter("a"), latency: 1_048_576)
            if index > 0 { graph.connect("f\(index - 1) > f\(index)") }
        }
        XCTAssertEqual(graph.snapshot.latencies.latency(leaving: graph.id("f1099")), .of(1 << 30))
    }

    /// Against all paths, one by one.
    func testRandomGraphsEqualTheSumOfTheirPaths() {
        for seed in 0..<1500 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let reference = LatencyReference(using: &random)
            let graph = reference.graph.snapshot
            let latencies = graph.latencies
            for name in reference.names {
                let port = reference.graph.id(name)
                XCTAssertEqual(
                    latencies.latency(arrivingAt: port), reference.arriving(at: name), "seed \(seed) \(name)")
            }
        }
    }

    /// The search for loops looks at nothing else: 2000 ports beside one loop do not exhaust it.
    func testALoopInALargeGraph() {
        var graph = Topology()
        for index in 0..<2000 {
            graph.add("f\(index)", .filter("a"), latency: 1)
            if index > 0 { graph.connect("f\(index - 1) > f\(index)") }
            if index > 1 { graph.connect("f\(index - 2) > f\(index)") }
        }
        graph.connect("f1001 > f1000")
        let latencies = graph.snapshot.latencies
        XCTAssertEqual(latencies.latency(leaving: graph.id("f999")), .of(501...1000))
        XCTAssertEqual(
            latencies.latency(leaving: graph.id("f1999")), DeclaredLatency(frames: 1001...2000, isComplete: false))
    }

    /// In whichever order a ring is put together, its youngest connection alone is left out.
    func testALongRing() {
        for isBackward in [false, true] {
            var graph = Topology()
            for index in 0..<1000 { graph.add("f\(index)", .filter("a"), latency: 1) }
            let links = (0..<1000).map { "f\($0) > f\(($0 + 1) % 1000)" }
            for link in isBackward ? links.reversed() : links { graph.connect(link) }
            let snapshot = graph.snapshot
            let latencies = snapshot.latencies
            let ids = Dictionary(uniqueKeysWithValues: snapshot.ports.map { ($0.nodeName, $0.id) })
            for index in 0..<1000 {
                // Backwards the last one is made by f0 to f1, which then is the first.
                let expected = isBackward ? (index + 999) % 1000 + 1 : index + 1
                XCTAssertEqual(
                    latencies.latency(leaving: ids["f\(index)"]!),
                    DeclaredLatency(frames: expected...expected, isComplete: false), "\(isBackward) \(index)")
            }
        }
    }

    /// The search for loops gives up in time, and says so.
    func testAGraphOfVeryManyLoops() {
        var graph = Topology()
        let names = (0..<80).map { "f\($0)" }
        for name in names { graph.add(name, .filter("a"), latency: 1) }
        for (index, name) in names.enumerated() { for other in names[..<index] { graph.connect("\(name) > \(other)") } }
        for (index, name) in names.enumerated() { for other in names[..<index] { graph.connect("\(other) > \(name)") } }
        let latencies = graph.snapshot.latencies
        XCTAssertEqual(latencies.latency(leaving: graph.id("f0"))?.frames.upperBound, 80)
        XCTAssertEqual(latencies.latency(leaving: graph.id("f0"))?.isComplete, false)
    }
}

extension DeclaredLatency {
    fileprivate static func of(_ frames: Int) -> Self { of(frames...frames) }
    fileprivate static func of(_ frames: ClosedRange<Int>) -> Self { Self(frames: frames, isComplete: true) }
}

extension Topology {
    fileprivate mutating func add(_ name: String, _ node: Node, latency: Int) {
        portProperties = [PipeBusProperty.latency: "\(latency)"]
        add(name, node)
    }
}

/// A random graph whose latencies are found by walking every path.
private struct LatencyReference {
    private(set) var graph = Topology()
    private(set) var names: [String] = []
    private var own: [String: Int?] = [:]
    private var passes: Set<String> = []
    private var senders: [String] = []
    private var listeners: [String] = []
    /// Without those that close a loop with older ones.
    private var kept: [(source: String, destination: String)] = []
    private var behindLoop: Set<String> = []

    init(using random: inout SeededGenerator) {
        for index in 0..<Int.random(in: 2...8, using: &random) {
            let name = "p\(index)"
            let latency = Int.random(in: 0...500, using: &random)
            names.append(name)
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: add(name, .sender("app \(index)"), latency)
            case 2, 3, 4: add(name, .filter("app \(index)"), latency)
            case 5: add(name, .receiver("app \(index)"), latency)
            case 6: add(name, .foreignFilter, nil)
            default: add(name, .speakers, nil)
            }
        }
        guard !senders.isEmpty, !listeners.isEmpty else { return }
        var made: Set<String> = []
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let (source, destination) = (
                senders.randomElement(using: &random)!, listeners.randomElement(using: &random)!
            )
            guard made.insert("\(source) > \(destination)").inserted else { continue }
            graph.connect("\(source) > \(destination)")
            if passes.contains(destination), passes.contains(source) || source == destination,
                leads(from: destination, to: source)
            {
                behindLoop.insert(destination)
            } else {
                kept.append((source, destination))
            }
        }
    }

    private mutating func add(_ name: String, _ node: Topology.Node, _ latency: Int?) {
        if let latency { graph.add(name, node, latency: latency) } else { graph.add(name, node) }
        own[name] = .some(latency)
        switch node {
        case .filter, .foreignFilter: passes.insert(name)
        default: break
        }
        if case .receiver = node {} else { senders.append(name) }
        if case .sender = node {} else { listeners.append(name) }
    }

    private func leads(from start: String, to end: String) -> Bool {
        start == end
            || kept.contains {
                $0.source == start && passes.contains($0.destination) && leads(from: $0.destination, to: end)
            }
    }

    func arriving(at name: String) -> DeclaredLatency? {
        let all = kept.filter { $0.destination == name }.map { leaving($0.source) }
        guard let first = all.first else {
            return behindLoop.contains(name) ? DeclaredLatency(frames: 0...0, isComplete: false) : nil
        }
        let frames = all.map(\.frames)
        return DeclaredLatency(
            frames: frames.map(\.lowerBound).min()!...frames.map(\.upperBound).max()!,
            isComplete: !behindLoop.contains(name) && all.allSatisfy(\.isComplete) && first.frames.lowerBound >= 0)
    }

    private func leaving(_ name: String) -> DeclaredLatency {
        let input = passes.contains(name) ? arriving(at: name) : nil
        guard let own = own[name] ?? nil else {
            return DeclaredLatency(frames: 0...(input?.frames.upperBound ?? 0), isComplete: false)
        }
        guard let input else { return DeclaredLatency(frames: own...own, isComplete: true) }
        return DeclaredLatency(
            frames: (input.frames.lowerBound + own)...(input.frames.upperBound + own), isComplete: input.isComplete)
    }
}
