// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

/// Which nodes the daemon has a reason to run.
final class PauseTests: XCTestCase {
    func testANodeWithALink() {
        var graph = GraphFixture()
        let source = graph.node("source", outputs: ["out"])
        let destination = graph.node("destination", inputs: ["in"])
        XCTAssertFalse(graph.reducer.hasReasonToRun(node: source))
        let link = graph.link(source + 1, destination + 1)
        XCTAssertTrue(graph.reducer.hasReasonToRun(node: source))
        XCTAssertTrue(graph.reducer.hasReasonToRun(node: destination))
        graph.reducer.apply(.removed(id: link))
        XCTAssertFalse(graph.reducer.hasReasonToRun(node: source))
        XCTAssertFalse(graph.reducer.hasReasonToRun(node: 4000))
    }

    func testALinkOfAnotherKind() {
        var graph = GraphFixture()
        let source = graph.node("source")
        let destination = graph.node("destination")
        func port(_ node: UInt32, _ direction: String, _ format: String) -> UInt32 {
            graph.port("port", of: node, index: 9, direction: direction, extra: ["format.dsp": format])
        }
        let order = "8 bit raw control"
        _ = graph.link(port(source, "out", order), port(destination, "in", order))
        XCTAssertFalse(graph.reducer.hasReasonToRun(node: source))
        let notes = "8 bit raw midi"
        _ = graph.link(port(source, "out", notes), port(destination, "in", notes))
        XCTAssertTrue(graph.reducer.hasReasonToRun(node: source))
    }

    func testNodesOfOneGroup() {
        for key in ["node.group", "node.link-group"] {
            var graph = GraphFixture()
            let one = graph.node("one", outputs: ["out"], extra: [key: "app"])
            let two = graph.node("two", outputs: ["out"], extra: [key: "app"])
            let other = graph.node("other", outputs: ["out"], extra: [key: ""])
            let destination = graph.node("destination", inputs: ["in"], extra: [key: ""])
            _ = graph.link(two + 1, destination + 1)
            XCTAssertTrue(graph.reducer.hasReasonToRun(node: one), key)
            XCTAssertFalse(graph.reducer.hasReasonToRun(node: other), key)
        }
    }

    func testANodeThatAlwaysRuns() {
        var graph = GraphFixture()
        let node = graph.node("node", outputs: ["out"])
        graph.reducer.apply(.properties(id: node, ["node.always-process": "true"]))
        XCTAssertTrue(graph.reducer.hasReasonToRun(node: node))
    }
}
