// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// Would a connection close a loop?
final class LoopQuestionTests: XCTestCase {
    private let nodes: KeyValuePairs<String, Topology.Node> = [
        "voice": .sender("a"), "echo": .filter("b"), "dub": .filter("c"), "amp": .foreignFilter,
        "recorder": .receiver("d"), "speakers": .speakers, "mic": .microphone,
    ]

    func testTheTable() {
        let table: [(there: [String], source: String, destination: String, answer: Certainty)] = [
            ([], "voice", "recorder", .no),
            ([], "voice", "echo", .no),
            ([], "echo", "echo", .yes),
            ([], "amp", "amp", .unknown),
            ([], "speakers", "speakers", .unknown),
            ([], "echo", "dub", .no),
            (["dub > echo"], "echo", "dub", .yes),
            // The answer for a connection that is there.
            (["dub > echo", "echo > dub"], "echo", "dub", .yes),
            (["dub > amp", "amp > echo"], "echo", "dub", .unknown),
            (["dub > amp", "amp > echo", "dub > echo"], "echo", "dub", .yes),
            (["dub > echo"], "echo", "amp", .no),
            (["speakers > echo"], "echo", "speakers", .unknown),
            (["mic > echo"], "echo", "speakers", .no),
            // A loop elsewhere.
            (["echo > dub", "dub > echo"], "voice", "echo", .no),
        ]
        for line in table {
            let graph = Topology(nodes, line.there)
            XCTAssertEqual(
                graph.snapshot.wouldCloseLoop(from: graph.id(line.source), to: graph.id(line.destination)), line.answer,
                "\(line.there) + \(line.source) > \(line.destination)")
        }
    }

    func testThroughAnAppWhoseSenderFollowsItsReceiver() {
        var graph = Topology(["echo": .filter("b"), "in": .receiver("mixer"), "other": .receiver("other")])
        graph.portProperties = [PipeBusProperty.follows: "in"]
        graph.add("out", .sender("mixer"))
        let snapshot = graph.snapshot
        XCTAssertEqual(snapshot.wouldCloseLoop(from: graph.id("out"), to: graph.id("in")), .unknown)
        XCTAssertEqual(snapshot.wouldCloseLoop(from: graph.id("out"), to: graph.id("echo")), .no)
        graph.connect("echo > in")
        XCTAssertEqual(graph.snapshot.wouldCloseLoop(from: graph.id("out"), to: graph.id("echo")), .unknown)
        XCTAssertEqual(graph.snapshot.wouldCloseLoop(from: graph.id("out"), to: graph.id("other")), .no)
    }

    func testAPortThatIsGoneClosesNone() {
        let graph = Topology(nodes)
        let gone = GraphPort.ID(serial: 1)
        XCTAssertEqual(graph.snapshot.wouldCloseLoop(from: graph.id("echo"), to: gone), .no)
        XCTAssertEqual(graph.snapshot.wouldCloseLoop(from: gone, to: gone), .no)
    }

    // MARK: Icons

    func testOneIconForTheEndsOfAChain() {
        var graph = Topology(["echo": .filter("fx")])
        graph.clientProperties = ["application.icon-name": "violin"]
        graph.add("one", .sender("a"))
        graph.add("two", .sender("b"))
        graph.connect("one > echo")
        XCTAssertEqual(graph.snapshot.sourcesIconName(of: graph.id("echo")), "violin")
        XCTAssertNil(graph.snapshot.sourcesIconName(of: graph.id("one")))
        XCTAssertNil(graph.snapshot.destinationsIconName(of: graph.id("one")), "the filter has none")
        graph.connect("two > echo")
        XCTAssertEqual(graph.snapshot.sourcesIconName(of: graph.id("echo")), "violin")
        graph.clientProperties = ["application.icon-name": "drum"]
        graph.add("three", .sender("c"))
        graph.add("tape", .receiver("d"))
        graph.connect("three > echo")
        graph.connect("echo > tape")
        XCTAssertNil(graph.snapshot.sourcesIconName(of: graph.id("echo")), "there are two")
        XCTAssertEqual(graph.snapshot.destinationsIconName(of: graph.id("one")), "drum")
    }
}
