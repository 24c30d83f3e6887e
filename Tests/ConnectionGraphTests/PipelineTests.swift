// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// The pipelines of small graphs.
final class PipelineTests: XCTestCase {
    private let nodes: KeyValuePairs<String, Topology.Node> = [
        "voice": .sender("a"), "tone": .sender("b"), "echo": .filter("c"), "dub": .filter("d"), "eq": .filter("e"),
        "amp": .foreignFilter, "player": .foreignSender, "recorder": .receiver("f"), "desk": .receiver("g"),
        "speakers": .speakers, "mic": .microphone,
    ]

    private func text(_ pipeline: Pipeline) -> String {
        pipeline.ports.map(\.nodeName).joined(separator: " ") + (pipeline.isLoop ? " (loop)" : "")
            + (pipeline.isContinuous == .unknown ? " ?" : "")
    }

    func testTheTable() {
        let table: [(connections: [String], pipelines: [String])] = [
            ([], []),
            (["voice > recorder"], ["voice recorder"]),
            (["voice > echo"], ["voice echo"]),
            (["echo > recorder"], ["echo recorder"]),
            (["voice > echo", "echo > eq", "eq > recorder"], ["voice echo eq recorder"]),
            // Each path is one.
            (
                ["voice > echo", "tone > echo", "echo > recorder", "echo > desk"],
                ["voice echo recorder", "voice echo desk", "tone echo recorder", "tone echo desk"]
            ),
            (
                ["voice > echo", "voice > eq", "echo > dub", "eq > dub", "dub > desk"],
                ["voice echo dub desk", "voice eq dub desk"]
            ),
            // Foreign nodes.
            (["player > amp", "amp > desk"], ["player amp desk ?"]),
            (["voice > echo", "echo > amp"], ["voice echo amp"]),
            (["amp > desk"], ["amp desk"]),
            // Devices and their monitors.
            (["voice > speakers"], ["voice speakers"]),
            (["voice > speakers", "speakers > recorder"], ["voice speakers", "speakers recorder"]),
            (["mic > echo", "echo > speakers"], ["mic echo speakers"]),
            (["speakers > echo", "echo > speakers"], ["speakers echo speakers"]),
            (["speakers > speakers"], ["speakers speakers"]),
            // Loops.
            (["echo > echo"], ["echo (loop)"]),
            (["echo > dub", "dub > echo"], ["echo dub (loop)"]),
            (["voice > echo", "echo > dub", "dub > echo"], ["voice echo dub (loop)"]),
            (
                ["voice > echo", "echo > dub", "dub > echo", "echo > desk"],
                ["voice echo dub (loop)", "voice echo desk"]
            ),
            (["voice > echo", "echo > dub", "dub > echo", "dub > desk"], ["voice echo dub desk"]),
            (["echo > dub", "dub > echo", "dub > desk"], ["echo dub desk"]),
            (["echo > echo", "echo > desk"], ["echo desk"]),
            (["eq > echo", "echo > eq", "echo > dub", "dub > dub"], ["echo dub (loop)", "echo eq (loop)"]),
        ]
        for line in table {
            let graph = Topology(nodes, line.connections).snapshot
            XCTAssertEqual(graph.pipelines.map(text), line.pipelines, "\(line.connections)")
            XCTAssertTrue(graph.pipelines.isComplete)
            for port in graph.ports {
                let own = graph.pipelines(of: port.id)
                let expected = graph.pipelines.filter { $0.ports.contains(port) }
                XCTAssertEqual(Array(own), expected, "\(line.connections) \(port.nodeName)")
            }
        }
    }

    func testAPortThatIsGoneIsInNone() {
        let graph = Topology(nodes, ["voice > echo"]).snapshot
        let list = graph.pipelines(of: GraphPort.ID(serial: 1))
        XCTAssertEqual(list.count, 0)
        XCTAssertTrue(list.isComplete)
    }

    // MARK: Very many

    /// *n* pairs of filters, each connected crosswise to the next pair.
    private func ladder(_ count: Int, from sources: [String], to end: String?) -> Topology {
        var graph = Topology()
        for source in sources { graph.add(source, .sender(source)) }
        for place in 0..<count { for side in ["l", "r"] { graph.add("\(side)\(place)", .filter("\(side)\(place)")) } }
        for source in sources { for side in ["l", "r"] { graph.connect("\(source) > \(side)0") } }
        for place in 0..<count - 1 {
            for one in ["l", "r"] {
                for other in ["l", "r"] { graph.connect("\(one)\(place) > \(other)\(place + 1)") }
            }
        }
        if let end {
            graph.add(end, .receiver(end))
            for side in ["l", "r"] { graph.connect("\(side)\(count - 1) > \(end)") }
        }
        return graph
    }

    func testALadderIsCutAndSaysSo() throws {
        let full = ladder(10, from: ["s"], to: "end").snapshot.pipelines
        XCTAssertEqual(full.count, PipelineList.limit)
        XCTAssertTrue(full.isComplete)
        let graph = ladder(30, from: ["s", "t"], to: "end").snapshot
        let cut = graph.pipelines
        XCTAssertEqual(cut.count, PipelineList.limit)
        XCTAssertFalse(cut.isComplete)
        XCTAssertEqual(cut.count { $0.origin.nodeName == "s" }, PipelineList.limit / 2, "each has its share")
        XCTAssertEqual(Set(cut.map(\.id)).count, cut.count)
        for name in ["s", "l15", "end"] {
            let port = try XCTUnwrap(graph.ports.first { $0.nodeName == name })
            let list = graph.pipelines(of: port.id)
            XCTAssertEqual(list.count, PipelineList.limit)
            XCTAssertFalse(list.isComplete)
            XCTAssertTrue(list.allSatisfy { $0.ports.contains(port) })
        }
    }

    func testACliqueOfLoopsEnds() {
        let names = (0..<40).map { "f\($0)" }
        var graph = Topology()
        for name in names { graph.add(name, .filter(name)) }
        for one in names { for other in names { graph.connect("\(one) > \(other)") } }
        let list = graph.snapshot.pipelines
        XCTAssertFalse(list.isComplete)
        XCTAssertEqual(list.count, PipelineList.limit)
        XCTAssertTrue(list.allSatisfy { $0.isLoop && $0.ports.count == names.count })
        XCTAssertFalse(graph.snapshot.pipelines(of: graph.id("f7")).isComplete)
    }

    func testALongChainIsOnePipeline() {
        var graph = Topology(["s": .sender("s")])
        var last = "s"
        for place in 0..<2000 {
            graph.add("f\(place)", .filter("f"))
            graph.connect("\(last) > f\(place)")
            last = "f\(place)"
        }
        XCTAssertEqual(graph.snapshot.pipelines.map(\.ports.count), [2001])
        XCTAssertEqual(graph.snapshot.wouldCloseLoop(from: graph.id(last), to: graph.id("f0")), .yes)
    }
}
