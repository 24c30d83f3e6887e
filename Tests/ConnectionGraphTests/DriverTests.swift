// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

final class DriverTests: XCTestCase {
    func testAGraphWithANodeThatCanDriveItHasADriver() {
        var graph = GraphReducer()
        graph.apply(.added(id: 1, kind: .node, properties: ["node.name": "player"]))
        graph.apply(.added(id: 2, kind: .client, properties: ["node.driver": "true"]))
        XCTAssertFalse(graph.hasDriver)
        // A node says it in its full properties, which come later.
        graph.apply(.added(id: 3, kind: .node, properties: ["node.name": "card"]))
        graph.apply(.properties(id: 3, ["node.driver": "true", "node.description": "Sound card\u{1B}"]))
        XCTAssertTrue(graph.hasDriver)
        XCTAssertEqual(graph.title(ofNode: 3), "Sound card\u{FFFD}")
        XCTAssertEqual(graph.title(ofNode: 1), "player")
        XCTAssertNil(graph.title(ofNode: 4))
        graph.apply(.properties(id: 3, ["node.driver": "false"]))
        XCTAssertFalse(graph.hasDriver)
        graph.apply(.properties(id: 3, ["node.driver": "true"]))
        graph.apply(.removed(id: 3))
        XCTAssertFalse(graph.hasDriver)
    }
}
