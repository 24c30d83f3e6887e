// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// The ports upstream and downstream of a port.
final class ChainTests: XCTestCase {
    func testFiltersComeBeforeReceiversDownstreamAndAfterSendersUpstream() {
        let graph = Topology(
            [
                "voice": .sender("a"), "guitar": .sender("b"), "echo": .filter("c"), "amp": .foreignFilter,
                "recorder": .receiver("d"), "tape": .foreignRecorder,
            ],
            ["voice > echo", "voice > tape", "echo > amp", "guitar > amp", "amp > recorder"])
        let snapshot = graph.snapshot
        XCTAssertEqual(
            snapshot.destinationsRecursive(of: graph.id("voice")).map(\.nodeName), ["echo", "amp", "tape", "recorder"])
        XCTAssertEqual(
            snapshot.sourcesRecursive(of: graph.id("recorder")).map(\.nodeName), ["guitar", "voice", "echo", "amp"])
        XCTAssertEqual(snapshot.sourcesRecursive(of: graph.id("voice")), [])
        XCTAssertEqual(snapshot.destinationsRecursive(of: graph.id("recorder")), [])
    }

    func testTitlesNameTheEndsInAFewWords() {
        let names = ["r1", "r2", "r3", "r4", "r5"]
        var graph = Topology(["out": .sender("a"), "fx": .filter("f")])
        for name in names { graph.add(name, .receiver(name)) }
        let expected = ["", "fx", "r1", "r1 and r2", "r1, r2 and r3", "r1, r2 and 2 more", "r1, r2 and 3 more"]
        for (count, title) in expected.enumerated() {
            if count == 1 { graph.connect("out > fx") }
            if count > 1 { graph.connect("fx > \(names[count - 2])") }
            XCTAssertEqual(graph.snapshot.destinationsTitle(of: graph.id("out")), title)
        }
        XCTAssertEqual(graph.snapshot.sourcesTitle(of: graph.id("r5")), "out")
        XCTAssertEqual(graph.snapshot.sourcesTitle(of: graph.id("out")), "")
    }

    func testSpeakersAreAnEndAlsoIfTheirMonitorIsRecorded() {
        let graph = Topology(
            ["out": .sender("a"), "speakers": .speakers, "recorder": .receiver("b")],
            ["out > speakers", "speakers > recorder"])
        XCTAssertEqual(graph.snapshot.destinationsTitle(of: graph.id("out")), "speakers and recorder")
    }

    func testALoopEndsAndIsAmongItsOwn() {
        let graph = Topology(
            ["one": .filter("a"), "two": .filter("b"), "end": .receiver("c")], ["one > two", "two > one", "two > end"])
        XCTAssertEqual(
            graph.snapshot.destinationsRecursive(of: graph.id("one")).map(\.nodeName), ["two", "one", "end"])
        // A loop has no end: then all of it is listed.
        let closed = Topology(["one": .filter("a"), "two": .filter("b")], ["one > two", "two > one"])
        XCTAssertEqual(closed.snapshot.destinationsTitle(of: closed.id("one")), "two and one")
    }

    func testWhatIsLiveIsKnownBehindIt() {
        var graph = Topology(
            [
                "mic": .microphone, "fx": .filter("a"), "in": .receiver("b"), "other": .receiver("b"),
                "tone": .sender("c"),
            ],
            ["mic > fx", "fx > in", "tone > other"])
        graph.portProperties = [PipeBusProperty.isLive: "true"]
        graph.add("voice", .sender("d"))
        let live = ["mic", "fx", "in", "other", "tone", "voice"].map { graph.snapshot.isFromLiveSource(graph.id($0)) }
        XCTAssertEqual(live, [true, true, true, false, false, true])
        graph.connect("voice > other")
        XCTAssertTrue(graph.snapshot.isFromLiveSource(graph.id("other")))
    }
}
