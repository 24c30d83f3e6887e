// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// What is kept of other processes' properties.
final class HostilePropertyTests: XCTestCase {
    private var graph = GraphReducer()

    private func addClient(_ id: UInt32, _ name: String) {
        graph.apply(.added(id: id, kind: .client, properties: ["application.name": name]))
    }

    private func addNode(_ id: UInt32, _ properties: [String: String]) {
        graph.apply(.added(id: id, kind: .node, properties: properties))
        graph.apply(.added(id: id + 100, kind: .port, properties: ["node.id": "\(id)", "port.direction": "out"]))
    }

    func testPropertiesUnderEverNewKeysAreNotKept() {
        addNode(5, ["node.name": "n"])
        for index in 0..<1000 { graph.apply(.properties(id: 5, ["key.\(index)": "x", "node.nick": "\(index)"])) }
        XCTAssertEqual(graph.nodes[5]?.properties, ["node.name": "n", "node.nick": "999"])
        XCTAssertEqual(graph.snapshot.ports.map(\.title), ["999"])
    }

    func testANodeCannotPassToAnotherApp() {
        addClient(1, "one")
        addClient(2, "two")
        addNode(5, ["node.name": "n", "client.id": "1"])
        graph.apply(.properties(id: 5, ["client.id": "2", "node.description": "title"]))
        XCTAssertEqual(graph.snapshot.peers.map(\.name), ["one"])
        XCTAssertEqual(graph.snapshot.ports.map(\.title), ["title"])
    }

    func testANodeMayGetItsClientLater() {
        addClient(1, "one")
        addNode(5, ["node.name": "n"])
        graph.apply(.properties(id: 5, ["client.id": "1"]))
        XCTAssertEqual(graph.snapshot.peers.map(\.name), ["one"])
    }

    func testALaneWidthWithoutInputsMakesNoLane() {
        addNode(5, ["pipebus.port.kind": "receiver", "pipebus.lane.width": "2"])
        XCTAssertEqual(graph.snapshot.ports.map(\.laneWidth), [0])
        XCTAssertEqual(graph.snapshot.ports.map(\.laneCount), [0])
    }

    func testAnIDStandsForOneObject() {
        addNode(5, ["node.name": "n"])
        XCTAssertEqual(graph.snapshot.ports.count, 1)
        graph.apply(.added(id: 5, kind: .link, properties: ["link.output.port": "1", "link.input.port": "2"]))
        XCTAssertEqual(graph.nodes.count, 0)
        XCTAssertEqual(graph.snapshot.ports, [])
        graph.apply(.added(id: 5, kind: .client, properties: [:]))
        XCTAssertNil(graph.ends(ofLink: 5))
    }

    func testAChannelThatComesAgainElsewhereIsNotOfTwoNodes() {
        addNode(5, ["node.name": "a"])
        addNode(6, ["node.name": "b"])
        graph.apply(.added(id: 105, kind: .port, properties: ["node.id": "6", "port.direction": "out"]))
        XCTAssertEqual(graph.snapshot.ports.map(\.nodeName), ["b"])
        XCTAssertEqual(graph.snapshot.ports.map(\.outputs.count), [2])
    }

    func testNothingIsKeptOfObjectsThatAreGone() {
        addClient(1, "one")
        addNode(5, ["client.id": "1"])
        graph.apply(.added(id: 7, kind: .link, properties: ["link.output.port": "105", "link.input.port": "9"]))
        graph.apply(.added(id: 8, kind: .metadata, properties: ["metadata.name": "m"]))
        XCTAssertFalse(graph.isEmpty)
        for id in [1, 5, 105, 7, 8] as [UInt32] { graph.apply(.removed(id: id)) }
        XCTAssertTrue(graph.isEmpty)
    }
}
