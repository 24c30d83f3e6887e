// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// The rule of automatic monitoring, line by line: has "in" to be played on "speakers"?
final class MonitorRuleTests: XCTestCase {
    /// "in" of the app "tuner", with its monitor and another sender that follows it.
    private func graph(_ connections: [String]) -> Topology {
        var graph = Topology([
            "tone": .sender("synth"), "pad": .sender("other"), "fx": .filter("effects"), "jack": .foreignFilter,
            "player": .foreignSender, "desk": .receiver("desk", monitors: true), "recorder": .receiver("recorder"),
            "tape": .foreignRecorder, "speakers": .speakers, "headphones": .speakers,
        ])
        // Older and younger than the receiver itself.
        graph.portProperties = [
            PipeBusProperty.monitors: "true", PipeBusProperty.monitorsAutomatically: "true",
        ]
        graph.add("older", .receiver("older"))
        graph.portProperties = [:]
        graph.add("in", .receiver("tuner"))
        graph.add("aside", .receiver("tuner"))
        graph.portProperties = [
            PipeBusProperty.monitors: "true", PipeBusProperty.monitorsAutomatically: "true",
        ]
        graph.add("younger", .receiver("younger"))
        graph.portProperties = [PipeBusProperty.follows: "in"]
        graph.add("monitor", .sender("tuner"))
        graph.add("through", .sender("tuner"))
        graph.add("stranger", .sender("stranger"))
        graph.portProperties = [PipeBusProperty.follows: "aside"]
        graph.add("other-through", .sender("tuner"))
        for connection in connections { graph.connect(connection) }
        return graph
    }

    private let table: [(connections: [String], needsMonitor: Bool)] = [
        ([], true),
        (["tone > in"], true),
        // Its own monitor does not count.
        (["tone > in", "monitor > speakers"], true),
        // The app passes it on.
        (["tone > in", "through > speakers"], false),
        (["tone > in", "through > headphones"], false),
        (["tone > in", "through > fx", "fx > speakers"], false),
        (["tone > in", "through > desk"], false),
        (["tone > in", "through > recorder"], true),
        (["tone > in", "through > tape"], true),
        (["tone > in", "through > jack", "jack > speakers"], true),
        (["tone > in", "stranger > speakers"], true),
        (["tone > in", "other-through > speakers"], true),
        // The source is played on another path.
        (["tone > in", "tone > speakers"], false),
        (["tone > in", "tone > desk"], false),
        (["tone > in", "tone > fx", "fx > speakers"], false),
        (["tone > in", "tone > recorder"], true),
        (["tone > in", "tone > jack", "jack > speakers"], true),
        (["player > in", "player > speakers"], false),
        // What goes through a filter is another sound than what goes past it.
        (["tone > fx", "fx > in", "tone > speakers"], true),
        (["tone > fx", "fx > in", "fx > speakers"], false),
        // All sources, or it is played.
        (["tone > in", "pad > in", "tone > speakers"], true),
        (["tone > in", "pad > in", "tone > speakers", "pad > desk"], false),
        // Of two that play the same by themselves the older one goes on.
        (["tone > in", "tone > older"], false),
        (["tone > in", "tone > younger"], true),
        (["tone > in", "tone > younger", "tone > older"], false),
        // The device's own sound would come back.
        (["speakers > in"], false),
        (["tone > in", "speakers > in"], false),
        (["speakers > fx", "fx > in"], false),
        (["speakers > jack", "jack > in"], false),
        (["headphones > in"], true),
        // Through the app's own receiver and a sender of it that follows it.
        (["speakers > aside", "other-through > in"], false),
        (["speakers > recorder", "tone > in"], true),
        // A loop on the way ends the search too.
        (["fx > fx", "fx > in"], true),
    ]

    func testTheTable() {
        for line in table {
            let graph = graph(line.connections)
            XCTAssertEqual(
                graph.snapshot.needsMonitor(graph.id("in"), playedBy: graph.id("monitor"), on: graph.id("speakers")),
                line.needsMonitor, "\(line.connections)")
        }
    }

    /// One of two channels is not the source's sound.
    func testAConnectionThatLacksAChannelIsNotEnough() {
        var graph = graph(["tone > in"])
        for name in ["tone", "speakers", "fx"] { graph.widen(name) }
        func needsMonitor() -> Bool {
            graph.snapshot.needsMonitor(graph.id("in"), playedBy: graph.id("monitor"), on: graph.id("speakers"))
        }
        graph.connect("tone > speakers")
        XCTAssertTrue(needsMonitor())
        graph.connectRight("tone > speakers")
        XCTAssertFalse(needsMonitor())

        // Nor is it on the way through a filter.
        graph = self.graph(["tone > in", "tone > fx", "fx > speakers"])
        for name in ["fx", "speakers"] { graph.widen(name) }
        graph.connectRight("fx > speakers")
        XCTAssertTrue(needsMonitor(), "mono on one channel of stereo")
        graph.widen("tone")
        graph.connectRight("tone > fx")
        XCTAssertFalse(needsMonitor())
    }

    /// The rule sees only what an app declares as a receiver.
    func testOnlyAReceiverMonitors() {
        var graph = graph(["tone > in"])
        graph.portProperties = [
            PipeBusProperty.monitors: "true", PipeBusProperty.monitorsAutomatically: "true",
        ]
        graph.add("fx2", .filter("liar"))
        graph.connect("tone > fx2")
        XCTAssertTrue(
            graph.snapshot.needsMonitor(graph.id("in"), playedBy: graph.id("monitor"), on: graph.id("speakers")))
    }
}
