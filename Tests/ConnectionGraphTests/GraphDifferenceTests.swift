// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

final class GraphDifferenceTests: XCTestCase {
    func testADifferenceThatIsAppliedGivesTheOtherGraph() {
        for seed in 1...100 as ClosedRange<UInt64> {
            var graph = RandomGraph(seed: seed)
            var reducer = GraphReducer()
            var versions = [reducer.takeSnapshot()]
            var events = graph.events()
            events += graph.objects.shuffled(using: &graph.random).map { .removed(id: $0.id) }
            for event in events {
                reducer.apply(event)
                guard Int.random(in: 0..<8, using: &graph.random) == 0 else { continue }
                versions.append(reducer.takeSnapshot())
            }
            for _ in 0..<20 {
                let (old, new) = (
                    versions.randomElement(using: &graph.random)!, versions.randomElement(using: &graph.random)!
                )
                let difference = new.difference(from: old)
                XCTAssertEqual(old.applying(difference), new, "seed \(seed)")
                assertNames(difference, from: old, to: new, seed)
            }
        }
    }

    /// Each change is named once, and nothing else.
    private func assertNames(
        _ difference: GraphDifference, from old: GraphSnapshot, to new: GraphSnapshot, _ seed: UInt64
    ) {
        XCTAssertEqual(Set(difference.ports.added), Set(new.ports.filter { old.port($0.id) == nil }), "seed \(seed)")
        XCTAssertEqual(Set(difference.ports.removed), Set(old.ports.filter { new.port($0.id) == nil }), "seed \(seed)")
        let changed = new.ports.filter { port in old.port(port.id).map { $0 != port } ?? false }
        XCTAssertEqual(Set(difference.ports.changed), Set(changed), "seed \(seed)")
        let (before, after) = (allConnections(old), allConnections(new))
        let named = difference.connections.added + difference.connections.changed
        XCTAssertEqual(Set(named), after.subtracting(before), "seed \(seed)")
        XCTAssertEqual(
            named.count + difference.connections.removed.count,
            Set(after.symmetricDifference(before).map { "\($0.medium) \($0.source) \($0.destination)" }).count,
            "seed \(seed)")
    }

    private func allConnections(_ graph: GraphSnapshot) -> Set<Connection> {
        Set(Medium.allCases.flatMap { graph.connections(of: $0) })
    }

    func testTheChangeOfALink() {
        var topology = Topology(["a": .sender("A"), "b": .receiver("B")])
        let before = topology.snapshot
        topology.connect("a > b")
        let after = topology.snapshot
        let difference = after.difference(from: before)
        XCTAssertEqual(difference.connections.added, after.connections)
        XCTAssertTrue(difference.ports.isEmpty && difference.peers.isEmpty)
        XCTAssertEqual(before.difference(from: after).connections.removed, after.connections)
        XCTAssertTrue(after.difference(from: after).isEmpty)
    }
}
