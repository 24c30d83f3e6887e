// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// The graph follows from the objects that there are, whatever the order in which they were announced.
final class GraphOrderTests: XCTestCase {
    func testTheOrderOfEventsDoesNotMatter() {
        for seed in 1...400 as ClosedRange<UInt64> {
            var graph = RandomGraph(seed: seed)
            var atOnce = GraphReducer()
            for object in graph.objects { atOnce.apply(object.added) }
            let expected = atOnce.snapshot
            assert(expected, is: graph, seed)
            var reducer = GraphReducer()
            for event in graph.events() {
                reducer.apply(event)
                // Whoever looks in between sees a valid graph, and changes nothing.
                if Int.random(in: 0..<3, using: &graph.random) == 0 { assertIsValid(reducer.takeSnapshot(), seed) }
            }
            let snapshot = reducer.takeSnapshot()
            XCTAssertEqual(snapshot.ports, expected.ports, "seed \(seed)")
            XCTAssertEqual(snapshot.peers, expected.peers, "seed \(seed)")
            XCTAssertEqual(snapshot.connections, expected.connections, "seed \(seed)")
            XCTAssertEqual(snapshot.store, expected.store, "seed \(seed)")
        }
    }

    /// Against the test's own idea of the graph.
    private func assert(_ snapshot: GraphSnapshot, is graph: RandomGraph, _ seed: UInt64) {
        let channels = graph.channelsOfNodes
        XCTAssertEqual(Set(snapshot.ports.map(\.nodeID)), Set(channels.keys), "seed \(seed)")
        for port in snapshot.ports {
            for medium in Medium.allCases {
                let own = channels[port.nodeID] ?? [:]
                XCTAssertEqual(port.outputs(of: medium).map(\.id), own["\(medium) out"] ?? [], "seed \(seed)")
                XCTAssertEqual(port.inputs(of: medium).map(\.id), own["\(medium) in"] ?? [], "seed \(seed)")
            }
        }
        let connections = Medium.allCases.flatMap { snapshot.connections(of: $0) }.map { connection in
            let ends = [connection.source, connection.destination].map {
                snapshot.port($0).map { "\($0.nodeID)" } ?? "?"
            }
            return
                "\(connection.medium) \(ends[0]) > \(ends[1]): \(connection.links.map { "\($0.output)-\($0.input)" }.joined(separator: " "))"
        }
        XCTAssertEqual(Set(connections), graph.connections, "seed \(seed)")
        XCTAssertEqual(connections.count, graph.connections.count, "seed \(seed)")
    }

    private func assertIsValid(_ snapshot: GraphSnapshot, _ seed: UInt64) {
        XCTAssertEqual(Set(snapshot.ports.map(\.id)).count, snapshot.ports.count)
        for port in snapshot.ports {
            XCTAssertEqual(snapshot.port(port.id), port, "seed \(seed)")
            if port.peer != nil { XCTAssertNotNil(snapshot.peer(of: port), "seed \(seed)") }
        }
        XCTAssertEqual(Set(snapshot.ports.compactMap(\.peer)), Set(snapshot.peers.map(\.id)), "seed \(seed)")
        for connection in snapshot.connections {
            guard let source = snapshot.port(connection.source), let destination = snapshot.port(connection.destination)
            else {
                return XCTFail("seed \(seed): a connection of a port that is gone")
            }
            XCTAssertFalse(connection.links.isEmpty, "seed \(seed)")
            for link in connection.links {
                XCTAssertTrue(source.outputs.indices.contains(link.output), "seed \(seed)")
                XCTAssertTrue(destination.inputs.indices.contains(link.input), "seed \(seed)")
            }
            XCTAssertTrue(snapshot.sources(of: destination.id).contains(source), "seed \(seed)")
            XCTAssertTrue(snapshot.destinations(of: source.id).contains(destination), "seed \(seed)")
        }
    }

    /// The id and the serial of a node may pass to others before anybody looks.
    func testSerialsThatAreUsedAgain() {
        var graph = GraphReducer()
        func node(_ id: UInt32, serial: Int, _ name: String) {
            graph.apply(.added(id: id, kind: .node, properties: ["object.serial": "\(serial)", "node.name": name]))
            graph.apply(.added(id: id + 50, kind: .port, properties: ["node.id": "\(id)", "port.direction": "out"]))
        }
        node(5, serial: 100, "a")
        _ = graph.takeSnapshot()
        node(7, serial: 100, "b")
        node(5, serial: 200, "c")
        XCTAssertEqual(graph.takeSnapshot().ports.map(\.nodeName), ["b", "c"])
        graph.apply(.removed(id: 5))
        XCTAssertEqual(graph.takeSnapshot().ports.map(\.nodeName), ["b"])
    }
}
