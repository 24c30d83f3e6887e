// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

final class ProcessTests: XCTestCase {
    private var graph = GraphFixture()

    private func app(_ name: String, process: Int?, isEmulated: Bool = false) {
        var extra = ["pipewire.sec.pid": process.map(String.init) ?? "none"]
        if isEmulated { extra["client.api"] = "pipewire-pulse" }
        _ = graph.node("\(name) out", client: graph.client(name, extra: extra), outputs: ["o"])
    }

    private var names: [[String]] { graph.snapshot.peersByProcess.map { $0.map(\.name) } }

    func testClientsOfAProcessAreTogether() {
        app("A", process: 10)
        app("B", process: 11)
        app("A's JACK", process: 10)
        XCTAssertEqual(names, [["A", "A's JACK"], ["B"]])
    }

    func testAppsOfPulseAudioAreEachByThemselves() {
        app("Browser", process: 10, isEmulated: true)
        app("Player", process: 10, isEmulated: true)
        app("The emulation's own", process: 10)
        XCTAssertEqual(names, [["Browser"], ["Player"], ["The emulation's own"]])
    }

    func testAnUnknownProcessIsNobodys() {
        app("A", process: nil)
        app("B", process: nil)
        XCTAssertEqual(names, [["A"], ["B"]])
    }

    func testPortsOfAPeer() {
        app("A", process: 1)
        app("B", process: 2)
        for peer in graph.snapshot.peers {
            XCTAssertEqual(graph.snapshot.ports(of: peer.id), graph.snapshot.ports.filter { $0.peer == peer.id })
        }
    }
}
