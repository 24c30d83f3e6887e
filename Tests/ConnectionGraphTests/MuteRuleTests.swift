// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// The table of the mute rule, line by line: is the sound of "out" played?
final class MuteRuleTests: XCTestCase {
    private let nodes: KeyValuePairs<String, Topology.Node> = [
        "out": .sender("app"), "fx": .filter("effects"), "fx2": .filter("more"), "jack": .foreignFilter,
        "recorder": .receiver("recorder"), "desk": .receiver("desk", monitors: true), "tape": .foreignRecorder,
        "speakers": .speakers, "other": .sender("other"), "own-desk": .receiver("app", monitors: true),
    ]

    private let table: [(connections: [String], isPlayed: Certainty)] = [
        ([], .no),
        (["out > recorder"], .no),
        (["out > desk"], .yes),
        (["out > speakers"], .yes),
        (["out > tape"], .unknown),
        (["out > jack"], .unknown),
        (["out > fx"], .no),
        (["out > fx", "fx > recorder"], .no),
        (["out > fx", "fx > desk"], .yes),
        (["out > fx", "fx > fx2", "fx2 > speakers"], .yes),
        (["out > fx", "fx > tape"], .unknown),
        (["out > jack", "jack > desk"], .unknown),
        (["out > jack", "jack > speakers"], .unknown),
        (["out > fx", "fx > jack", "jack > speakers"], .unknown),
        // A certain answer counts, whatever other answers there are.
        (["out > recorder", "out > desk"], .yes),
        (["out > jack", "out > speakers"], .yes),
        (["out > tape", "out > recorder"], .unknown),
        // Others are none of its business.
        (["other > desk", "out > recorder"], .no),
        (["other > fx", "fx > desk"], .no),
        // A connection that brings the app its own sound back is silent.
        (["out > fx", "fx > fx2", "fx2 > fx"], .no),
        (["out > fx", "fx > fx2", "fx2 > fx", "fx2 > desk"], .no),
        (["out > fx", "fx > fx2", "fx2 > fx", "fx2 > desk", "out > speakers"], .yes),
        (["out > own-desk"], .no),
        (["out > fx", "fx > own-desk"], .no),
        (["out > fx", "fx > own-desk", "fx > desk"], .yes),
    ]

    func testTheTable() {
        for line in table {
            let graph = Topology(nodes, line.connections)
            XCTAssertEqual(graph.snapshot.isPlayed(graph.id("out")), line.isPlayed, "\(line.connections)")
        }
    }

    func testWhereItIsAllowedALoopIsHeard() {
        var graph = Topology()
        graph.portProperties = [PipeBusProperty.allowsSelf: "true"]
        graph.add("out", .sender("app"))
        graph.add("fx", .filter("effects"))
        graph.add("fx2", .filter("more"))
        graph.add("desk", .receiver("app", monitors: true))
        for connection in ["out > fx", "fx > fx2", "fx2 > fx", "fx2 > desk"] { graph.connect(connection) }
        XCTAssertEqual(graph.snapshot.isPlayed(graph.id("out")), .yes)
    }

    func testItIsPerPort() {
        let graph = Topology(
            [
                "a": .sender("app"), "b": .sender("app"), "fx": .filter("app"),
                "desk": .receiver("desk", monitors: true),
            ],
            ["a > desk"])
        XCTAssertEqual(["a", "b", "fx"].map { graph.snapshot.isPlayed(graph.id($0)) }, [.yes, .no, .no])
    }

    func testOnlyAPipeBusReceiverCanAnnounceThatItMonitors() {
        var graph = Topology(["out": .sender("app")])
        graph.portProperties = [PipeBusProperty.monitors: "true"]
        graph.add("fx", .filter("effects"))
        graph.connect("out > fx")
        XCTAssertEqual(graph.snapshot.isPlayed(graph.id("out")), .no)
    }
}
