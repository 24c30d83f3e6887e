// SPDX-License-Identifier: MIT
import XCTest

@testable import ConnectionGraph

/// MIDI and pictures are in the graph, and no rule of sound looks at them.
final class MediumTests: XCTestCase {
    private var graph = GraphFixture()

    private func midi(_ name: String, of node: UInt32, index: Int, _ direction: String) -> UInt32 {
        graph.port(name, of: node, index: index, direction: direction, extra: ["format.dsp": "8 bit raw midi"])
    }

    func testAKeyboardAndASynthesizer() {
        let keyboard = graph.node("keyboard", extra: ["media.class": "Midi/Bridge"])
        let keys = midi("keys", of: keyboard, index: 0, "out")
        let synthesizer = graph.node("synth", outputs: ["left", "right"])
        let notes = midi("notes", of: synthesizer, index: 2, "in")
        _ = graph.link(keys, notes)
        XCTAssertEqual(graph.port("keyboard")?.media, [.midi])
        XCTAssertEqual(graph.port("keyboard")?.kind, .sender)
        XCTAssertEqual(graph.port("keyboard")?.isDevice, true)
        // The sound decides: what comes in is no sound.
        XCTAssertEqual(graph.port("synth")?.kind, .sender)
        XCTAssertEqual(graph.port("synth")?.media, [.audio, .midi])
        XCTAssertEqual(graph.port("synth")?.inputs(of: .midi).map(\.name), ["notes"])
        XCTAssertEqual(graph.snapshot.connections, [])
        let connections = graph.snapshot.connections(of: .midi)
        XCTAssertEqual(connections.map(\.medium), [.midi])
        XCTAssertEqual(connections.first?.links.map { [$0.output, $0.input] }, [[0, 0]])
    }

    /// A camera's port has no format.
    func testACameraIsNoMicrophone() {
        let node = graph.node("camera")
        graph.reducer.apply(
            .added(
                id: 900, kind: .port,
                properties: ["node.id": "\(node)", "port.direction": "out", "port.name": "capture"]))
        XCTAssertEqual(graph.port("camera")?.media, [.audio])
        graph.reducer.apply(.properties(id: node, ["media.class": "Video/Source"]))
        XCTAssertEqual(graph.port("camera")?.media, [.video])
        XCTAssertEqual(graph.port("camera")?.outputs, [])
        XCTAssertEqual(graph.port("camera")?.isLiveSource, false)
    }

    func testALinkBetweenTwoMediaIsNone() {
        let source = graph.node("a", outputs: ["o"])
        let destination = graph.node("b")
        let notes = midi("notes", of: destination, index: 0, "in")
        _ = graph.link(graph.reducer.channels(ofNode: source, isInput: false)[0].id, notes)
        for medium in Medium.allCases { XCTAssertEqual(graph.snapshot.connections(of: medium), []) }
    }

    func testPortsThatKeepAnOrderAreNotShown() {
        let node = graph.node("n")
        _ = graph.port("order_in", of: node, index: 0, direction: "in", extra: ["format.dsp": OrderPort.format])
        XCTAssertEqual(graph.snapshot.ports, [])
    }

    /// An app that plays itself by MIDI does not hear itself.
    func testMIDIFromOneselfIsNoReturnOfSound() {
        let app = graph.client("App")
        let source = graph.pipeBusPort(.sender, "out", client: app, order: 0, outputs: ["o"])
        let destination = graph.pipeBusPort(.receiver, "in", client: app, order: 1, inputs: ["i"])
        _ = graph.link(midi("m", of: source, index: 5, "out"), midi("m", of: destination, index: 6, "in"))
        XCTAssertEqual(graph.snapshot.connections(of: .midi).count, 1)
        XCTAssertEqual(graph.snapshot.forbiddenReturns(), [])
        XCTAssertEqual(graph.snapshot.isConnectedToSelf(graph.port("App.out")!.id), .no)
    }
}
