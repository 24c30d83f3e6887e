// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

final class SelfConnectionRuleTests: XCTestCase {
    private let nodes: KeyValuePairs<String, Topology.Node> = [
        "out": .sender("app"), "in": .receiver("app"), "own": .filter("app"), "fx": .filter("effects"),
        "fx2": .filter("more"), "jack": .foreignFilter, "speakers": .speakers, "else": .receiver("else"),
        "other": .sender("other"),
    ]

    /// The answers at "out" and "in", which are always equal: one is the other's end.
    private let table: [(connections: [String], verdict: Certainty)] = [
        ([], .no),
        (["out > else"], .no),
        (["other > in"], .no),
        (["out > fx"], .no),
        (["out > else", "other > in"], .no),
        (["out > in"], .yes),
        (["out > fx", "fx > in"], .yes),
        (["out > fx", "fx > fx2", "fx2 > in"], .yes),
        (["out > jack", "jack > in"], .unknown),
        (["out > fx", "fx > jack", "jack > in"], .unknown),
        (["out > speakers", "speakers > in"], .unknown),
        // A certain answer counts.
        (["out > jack", "jack > in", "out > fx", "fx > in"], .yes),
        // A loop elsewhere.
        (["out > fx", "fx > fx2", "fx2 > fx", "other > in"], .no),
        (["out > fx", "fx > fx2", "fx2 > fx", "fx2 > in"], .yes),
    ]

    func testBothEndsHaveTheSameAnswer() {
        for line in table {
            let graph = Topology(nodes, line.connections)
            for end in ["out", "in"] {
                XCTAssertEqual(
                    graph.snapshot.isConnectedToSelf(graph.id(end)), line.verdict, "\(end) \(line.connections)")
            }
        }
    }

    func testAFilterCanBeConnectedToItself() {
        let cases: [(connections: [String], verdict: Certainty)] = [
            (["own > fx"], .no), (["own > own"], .yes), (["own > fx", "fx > own"], .yes),
            (["own > jack", "jack > own"], .unknown), (["out > own"], .yes), (["own > in"], .yes),
        ]
        for line in cases {
            let graph = Topology(nodes, line.connections)
            XCTAssertEqual(graph.snapshot.isConnectedToSelf(graph.id("own")), line.verdict, "\(line.connections)")
            // The filter in the middle is another app's, and not connected to itself unless it is in the loop.
            let isInLoop = line.connections == ["own > fx", "fx > own"]
            XCTAssertEqual(graph.snapshot.isConnectedToSelf(graph.id("fx")), isInLoop ? .yes : .no)
        }
    }

    func testAConnectionIsForbiddenIfItClosesAPathBack() {
        let cases: [(there: [String], source: String, destination: String, ends: [String]?)] = [
            ([], "out", "in", ["out", "in"]),
            ([], "out", "else", nil),
            ([], "out", "fx", nil),
            (["out > fx"], "fx", "in", ["out", "in"]),
            (["fx > in"], "out", "fx", ["out", "in"]),
            (["out > fx", "fx2 > in"], "fx", "fx2", ["out", "in"]),
            (["out > fx", "jack > in"], "fx", "jack", nil),
            (["out > jack"], "jack", "in", nil),
            ([], "own", "own", ["own", "own"]),
            (["own > fx"], "fx", "own", ["fx", "fx"]),
            (["out > fx"], "other", "in", nil),
            (["out > fx"], "other", "fx", nil),
        ]
        for line in cases {
            let graph = Topology(nodes, line.there)
            let found = graph.snapshot.selfConnection(from: graph.port(line.source), to: graph.port(line.destination))
            XCTAssertEqual(
                found.map { [$0.source.nodeName, $0.destination.nodeName] }, line.ends,
                "\(line.there) + \(line.source) > \(line.destination)")
        }
    }

    /// All apps have to find the same ones, or every one of them takes another connection away.
    func testOfALoopTheYoungestConnectionIsToBlame() {
        let cases: [(connections: [String], forbidden: [String])] = [
            (["out > else", "other > fx", "fx > fx2"], []),
            (["out > in"], ["out > in"]),
            // Where it comes back, whichever is younger.
            (["out > fx", "fx > in"], ["fx > in"]),
            (["fx > in", "out > fx"], ["fx > in"]),
            (["fx > fx2", "fx2 > fx"], ["fx2 > fx"]),
            (["fx2 > fx", "fx > fx2"], ["fx > fx2"]),
            (["other > fx", "fx > fx2", "fx2 > own", "own > else", "own > fx"], ["own > fx"]),
            (["own > fx", "fx > fx2", "fx2 > own"], ["fx2 > own"]),
            // Two loops, and one that is none any more without the younger one.
            (["fx > fx2", "fx2 > fx", "own > own"], ["own > own", "fx2 > fx"]),
            (["fx > fx2", "fx2 > own", "own > fx2", "own > fx"], ["own > fx", "own > fx2"]),
            (["own > own", "own > fx", "fx > in"], ["fx > in", "own > own"]),
            (["out > jack", "jack > in"], []),
            // A filter that hears nothing brings nothing back.
            (["fx > in", "fx > fx", "out > fx"], ["fx > fx"]),
        ]
        for line in cases {
            let graph = Topology(nodes, line.connections).snapshot
            let found = graph.forbiddenReturns().map {
                "\(graph.port($0.source)!.nodeName) > \(graph.port($0.destination)!.nodeName)"
            }
            XCTAssertEqual(found, line.forbidden, "\(line.connections)")
        }
    }

    func testAllowedIsWhatBothEndsAllow() {
        for (first, second) in [(true, true), (true, false), (false, true), (false, false)] {
            var graph = Topology()
            graph.portProperties = first ? [PipeBusProperty.allowsSelf: "true"] : [:]
            graph.add("out", .sender("app"))
            graph.portProperties = second ? [PipeBusProperty.allowsSelf: "true"] : [:]
            graph.add("in", .receiver("app"))
            let isAllowed = first && second
            let found = graph.snapshot.selfConnection(from: graph.port("out"), to: graph.port("in"))
            XCTAssertEqual(found == nil, isAllowed)
            graph.connect("out > in")
            XCTAssertEqual(graph.snapshot.isConnectedToSelf(graph.id("in")), .yes)
            XCTAssertEqual(graph.snapshot.isReturn(graph.id("out"), to: graph.id("in")), .yes)
            XCTAssertEqual(
                graph.snapshot.isForbiddenReturn(graph.id("out"), to: graph.id("in")), isAllowed ? .no : .yes)
        }
    }

    // MARK: Who is one app

    func testWhoIsOneAppIsKnownByTheProcess() {
        let cases: [(first: [String: String], second: [String: String], ports: [String: String], isOne: Bool)] = [
            (["pipewire.sec.pid": "1"], ["pipewire.sec.pid": "1"], [:], true),
            (["pipewire.sec.pid": "1"], ["pipewire.sec.pid": "2"], [:], false),
            // Not known.
            (["pipewire.sec.pid": ""], ["pipewire.sec.pid": ""], [:], false),
            // The emulation's process, which all its clients share.
            (
                ["pipewire.sec.pid": "1", "client.api": "pipewire-pulse"],
                ["pipewire.sec.pid": "1", "client.api": "pipewire-pulse"], [:], false
            ),
            // The same application in two processes, if both declare it.
            (
                ["pipewire.sec.pid": "1", "application.id": "org.a"],
                ["pipewire.sec.pid": "2", "application.id": "org.a"],
                [PipeBusProperty.selfScope: "application"], true
            ),
            (
                ["pipewire.sec.pid": "1", "application.id": "org.a"],
                ["pipewire.sec.pid": "2", "application.id": "org.b"],
                [PipeBusProperty.selfScope: "application"], false
            ),
            (
                ["pipewire.sec.pid": "1", "application.id": "org.a"],
                ["pipewire.sec.pid": "2", "application.id": "org.a"],
                [PipeBusProperty.selfScope: "nonsense"], false
            ),
        ]
        for line in cases {
            var graph = Topology()
            graph.portProperties = line.ports
            graph.clientProperties = line.first
            graph.add("out", .sender("first"))
            graph.clientProperties = line.second
            graph.add("in", .receiver("second"))
            XCTAssertEqual(graph.snapshot.isOneApp(graph.port("out"), graph.port("in")), line.isOne, "\(line)")
        }
    }

    func testOnlyOneOfTwoSayingSoIsNotEnough() {
        var graph = Topology()
        graph.clientProperties = ["application.id": "org.a"]
        graph.portProperties = [PipeBusProperty.selfScope: "application"]
        graph.add("out", .sender("first"))
        graph.portProperties = [:]
        graph.add("in", .receiver("second"))
        XCTAssertFalse(graph.snapshot.isOneApp(graph.port("out"), graph.port("in")))
    }

    func testANodeWithoutPipeBusIsNoPartOfAnApp() {
        var graph = Topology()
        graph.clientProperties = ["pipewire.sec.pid": "1"]
        graph.add("jack", .foreignSender)
        graph.add("in", .receiver("app"))
        XCTAssertFalse(graph.snapshot.isOneApp(graph.port("jack"), graph.port("in")))
    }
}
