// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

final class GraphReducerTests: XCTestCase {
    private var graph = GraphFixture()

    func testAnEmptyGraphHasNothing() {
        XCTAssertEqual(graph.snapshot.ports, [])
        XCTAssertEqual(graph.snapshot.peers, [])
        XCTAssertEqual(graph.snapshot.connections, [])
    }

    func testForeignNodesAreClassedByTheirChannels() {
        _ = graph.node("source", outputs: ["o"])
        _ = graph.node("effect", inputs: ["i"], outputs: ["o"])
        _ = graph.node("sink", inputs: ["i"], extra: ["media.class": "Audio/Sink"])
        XCTAssertEqual(graph.port("source")?.kind, .sender)
        XCTAssertEqual(graph.port("effect")?.kind, .filter)
        XCTAssertEqual(graph.port("sink")?.kind, .receiver)
        XCTAssertEqual(graph.port("sink")?.isDevice, true)
        XCTAssertEqual(graph.port("effect")?.isDevice, false)
    }

    func testANodeIsKnownByTheNameThatItHasNow() {
        let node = graph.node("first", outputs: ["o"])
        XCTAssertTrue(graph.reducer.hasNode(shownAs: "first"))
        let other = graph.node("first", outputs: ["o"])
        graph.reducer.apply(.properties(id: node, ["node.name": "sec\u{1b}ond"]))
        XCTAssertTrue(graph.reducer.hasNode(shownAs: "first"))
        graph.reducer.apply(.removed(id: other))
        XCTAssertFalse(graph.reducer.hasNode(shownAs: "first"))
        let shown = graph.snapshot.ports.map(\.nodeName)
        XCTAssertEqual(shown.count, 1)
        for name in shown { XCTAssertTrue(graph.reducer.hasNode(shownAs: name)) }
        graph.reducer.apply(.removed(id: node))
        for name in shown { XCTAssertFalse(graph.reducer.hasNode(shownAs: name)) }
    }

    /// No daemon gives a serial again, and a hostile one may. The order in which nodes are looked at is another for each pair of ids.
    func testASerialThatIsGivenAgain() {
        for (old, new) in (10..<40).flatMap({ old in (50..<60).map { (UInt32(old), UInt32($0)) } }) {
            var often = GraphReducer()
            var rare = GraphReducer()
            for event: GraphEvent in [
                .added(id: 3, kind: .client, properties: ["application.name": "App"]),
                .added(id: old, kind: .node, properties: ["object.serial": "5", "client.id": "3"]),
                .added(id: 100, kind: .port, properties: ["node.id": "\(old)", "port.direction": "out"]),
                .removed(id: old),
                .added(id: new, kind: .node, properties: ["object.serial": "5"]),
                .added(id: 101, kind: .port, properties: ["node.id": "\(new)", "port.direction": "in"]),
            ] {
                often.apply(event)
                rare.apply(event)
                _ = often.takeSnapshot()
                if case .added(100, _, _) = event { _ = rare.takeSnapshot() }
            }
            XCTAssertEqual(rare.takeSnapshot(), often.takeSnapshot(), "nodes \(old) and \(new)")
            XCTAssertEqual(rare.takeSnapshot().peers, [])
        }
    }

    func testTheTapOfAFilterIsInNoGraph() {
        let app = graph.client("App", id: "org.example.app")
        let source = graph.pipeBusPort(.sender, "source", client: app, order: 0, outputs: ["o"])
        _ = graph.pipeBusPort(.filter, "filter", client: app, order: 1, inputs: ["i"], outputs: ["o"])
        let before = graph.snapshot.ports.map(\.name)
        let tap = graph.node(
            "tap", inputs: ["i"], outputs: ["o"], extra: ["media.category": PipeBusProperty.tapCategory])
        XCTAssertEqual(graph.snapshot.ports.map(\.name), before)
        XCTAssertFalse(graph.snapshot.ports.isEmpty)
        let channel = graph.reducer.channels(ofNode: tap, isInput: true)[0].id
        XCTAssertTrue(graph.reducer.isTap(channel: channel))
        XCTAssertFalse(graph.reducer.isTap(channel: graph.reducer.channels(ofNode: source, isInput: false)[0].id))
        graph.reducer.apply(.properties(id: tap, ["media.category": "Filter"]))
        XCTAssertEqual(graph.snapshot.ports.count, before.count + 1)
    }

    func testMonitorsDoNotMakeASinkAFilter() {
        let sink = graph.node("sink", inputs: ["playback_FL"])
        _ = graph.port("monitor_FL", of: sink, index: 0, direction: "out", extra: ["port.monitor": "true"])
        XCTAssertEqual(graph.port("sink")?.kind, .receiver)
        XCTAssertEqual(graph.port("sink")?.outputs.map(\.isMonitor), [true])
    }

    /// PipeWire marks its outputs as monitors.
    func testAVirtualInputDeviceHasNoMonitors() throws {
        for mediaClass in ["Audio/Source", "Audio/Source/Virtual"] {
            let node = graph.node(mediaClass, inputs: ["input_FL"], extra: ["media.class": mediaClass])
            _ = graph.port("capture_FL", of: node, index: 0, direction: "out", extra: ["port.monitor": "true"])
            let port = try XCTUnwrap(graph.port(mediaClass))
            XCTAssertEqual(port.outputs.map(\.isMonitor), [false])
            XCTAssertEqual(port.kind, .filter)
            XCTAssertFalse(port.isOutputDevice)
            XCTAssertEqual(graph.reducer.source(serial: port.id.serial)?.outputCount, 1)
            // Its class may be known later than its channels.
            graph.reducer.apply(.properties(id: node, ["media.class": "Audio/Sink"]))
            XCTAssertEqual(graph.port(mediaClass)?.outputs.map(\.isMonitor), [true])
            XCTAssertEqual(graph.reducer.source(serial: port.id.serial)?.outputCount, 0)
        }
    }

    func testChannelsAreInTheOrderOfTheirPortIDs() {
        let node = graph.node("n")
        for index in [3, 0, 2, 1] { _ = graph.port("o\(index)", of: node, index: index, direction: "out") }
        XCTAssertEqual(graph.port("n")?.outputs.map(\.name), ["o0", "o1", "o2", "o3"])
    }

    func testPortsOfAnAppAreInTheOrderInWhichItAddedThem() {
        let app = graph.client("App", id: "org.example.app")
        _ = graph.pipeBusPort(.sender, "late", client: app, order: 2, outputs: ["o"])
        _ = graph.pipeBusPort(.receiver, "first", client: app, order: 0, inputs: ["a", "b"], laneWidth: 1)
        _ = graph.pipeBusPort(.filter, "second", client: app, order: 1, inputs: ["i"], outputs: ["o"])
        XCTAssertEqual(graph.snapshot.ports.map(\.name), ["first", "second", "late"])
        XCTAssertEqual(graph.snapshot.peers.map(\.name), ["App"])
        XCTAssertEqual(graph.snapshot.peers.first?.applicationID, "org.example.app")
        XCTAssertEqual(graph.snapshot.peers.first?.processID, 4711)
        XCTAssertEqual(graph.port("App.first")?.laneCount, 2)
    }

    func testWhatOthersCallThemselvesIsFitForATerminal() {
        let app = graph.client("Ap\u{1B}[2Jp")
        _ = graph.node("n\u{9B}31m", client: app, outputs: ["o\n"], extra: ["node.description": "a\u{2028}b – é"])
        let port = graph.snapshot.ports[0]
        XCTAssertEqual(port.nodeName, "n\u{FFFD}31m")
        XCTAssertEqual(port.title, "a\u{FFFD}b – é")
        XCTAssertEqual(port.outputs[0].name, "o\u{FFFD}")
        XCTAssertEqual(graph.snapshot.peers[0].name, "Ap\u{FFFD}[2Jp")
    }

    func testPropertiesThatComeLaterChangeThePort() {
        let node = graph.node("n", outputs: ["o"])
        XCTAssertEqual(graph.port("n")?.title, "n")
        graph.reducer.apply(.properties(id: node, ["node.name": "n", "node.description": "New title"]))
        XCTAssertEqual(graph.port("n")?.title, "New title")
    }

    func testLinksBetweenTwoPortsAreOneConnection() {
        let source = graph.node("source")
        let sink = graph.node("sink")
        let outputs = (0..<2).map { graph.port("o\($0)", of: source, index: $0, direction: "out") }
        let inputs = (0..<2).map { graph.port("i\($0)", of: sink, index: $0, direction: "in") }
        _ = graph.link(outputs[1], inputs[1])
        let first = graph.link(outputs[0], inputs[0])
        let connections = graph.snapshot.connections
        XCTAssertEqual(connections.count, 1)
        XCTAssertEqual(connections.first?.links.map(\.output), [0, 1])
        XCTAssertEqual(graph.snapshot.sources(of: connections[0].destination).map(\.nodeName), ["source"])
        graph.reducer.apply(.removed(id: first))
        XCTAssertEqual(graph.snapshot.connections.first?.links.count, 1)
    }

    func testALinkWithoutItsPortsIsIgnored() {
        _ = graph.link(500, 501)
        XCTAssertEqual(graph.snapshot.connections, [])
    }

    func testNonsenseFromOtherProcessesIsSurvived() {
        let client = graph.client("", extra: ["object.serial": "minus one", "pipewire.sec.pid": "99999999999999"])
        _ = graph.node(
            "x", client: client, inputs: ["a", "b", "c"],
            extra: [
                PipeBusProperty.kind: "receiver", PipeBusProperty.laneWidth: "-2", PipeBusProperty.order: "first",
                "node.description": "",
            ])
        _ = graph.node(
            "y", inputs: ["a", "b", "c"], extra: [PipeBusProperty.kind: "emperor", PipeBusProperty.laneWidth: "2"])
        graph.reducer.apply(.added(id: 900, kind: .port, properties: ["node.id": "banana"]))
        graph.reducer.apply(.added(id: 901, kind: .link, properties: ["link.output.port": "-1"]))
        graph.reducer.apply(.properties(id: 12345, ["a": "b"]))
        graph.reducer.apply(.removed(id: 54321))
        XCTAssertEqual(graph.port("x")?.laneWidth, 3)
        XCTAssertEqual(graph.port("x")?.title, "x")
        XCTAssertEqual(graph.port("y")?.isPipeBus, false)
        XCTAssertNil(graph.snapshot.peers.first?.processID)
    }

    func testTheListOfSourcesThatHangIsTakenStrictly() {
        for (text, expected) in [
            ("", []), ("7", [7]), ("7,8", [7, 8]), ("-1,x,,+5,007,18446744073709551616,9", [9]),
            (Array(repeating: "7", count: 1000).joined(separator: ","), Array(repeating: 7, count: 64)),
        ] as [(String, [UInt64])] {
            for kind in ["receiver", "emperor"] {
                var graph = GraphFixture()
                _ = graph.node(
                    "x", inputs: ["a"],
                    extra: [PipeBusProperty.kind: kind, PipeBusProperty.stalledSources: text])
                XCTAssertEqual(
                    graph.port("x")?.stalledSources.map(\.serial), kind == "receiver" ? expected : [], text)
            }
        }
    }

    func testAnIDThatIsUsedAgainIsAnotherPort() {
        let node = graph.node("old", outputs: ["o"])
        let before = graph.port("old")?.id
        graph.reducer.apply(.removed(id: node))
        graph.reducer.apply(
            .added(id: node, kind: .node, properties: ["object.serial": "9999", "node.name": "old"]))
        XCTAssertNotEqual(graph.port("old")?.id, before)
    }

    func testTheRevisionGrowsWithEveryEvent() {
        let before = graph.snapshot.revision
        _ = graph.node("n", outputs: ["o"])
        XCTAssertEqual(graph.snapshot.revision, before + 2)
    }
}
