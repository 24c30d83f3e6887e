// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

/// Names that fit several ports, of which some are connected.
final class ConnectedNameTests: XCTestCase {
    private var fixture = GraphFixture()
    private var outputs: [String: UInt32] = [:]
    private var inputs: [String: UInt32] = [:]

    private func add(_ app: String, _ node: String, _ kind: PortKind, title: String? = nil, client: UInt32? = nil) {
        let client = client ?? fixture.client(app)
        let id = fixture.node(
            node, client: client,
            extra: [PipeBusProperty.kind: kind.rawValue, PipeBusProperty.name: node, "node.description": title ?? node])
        if kind != .receiver { outputs[node] = fixture.port("out", of: id, index: 0, direction: "out") }
        if kind != .sender { inputs[node] = fixture.port("in", of: id, index: 1, direction: "in") }
    }

    private func connect(_ source: String, _ destination: String) {
        _ = fixture.link(outputs[source]!, inputs[destination]!)
    }

    private func found(_ source: String, _ destination: String) -> [[String]] {
        let found = fixture.snapshot.connectedPorts(typed: source, to: destination)
        return [found.source.ports.map(\.nodeName), found.destination.ports.map(\.nodeName)]
    }

    func testOfTwoSourcesOfOneNameTheConnectedOneIsMeant() {
        add("Pad", "Pad.out", .sender)
        add("Pad", "Pad.out-2", .sender)
        add("Recorder", "Recorder.in", .receiver)
        XCTAssertEqual(found("Pad", "Recorder"), [["Pad.out", "Pad.out-2"], ["Recorder.in"]])
        connect("Pad.out-2", "Recorder.in")
        for names in [("Pad", "Recorder"), ("pad", "rec"), ("Pad.out-2", "Recorder.in"), ("pa", "RECORDER")] {
            XCTAssertEqual(found(names.0, names.1), [["Pad.out-2"], ["Recorder.in"]])
        }
        // The name of a port alone is that port.
        XCTAssertEqual(found("Pad.out", "Recorder"), [["Pad.out"], ["Recorder.in"]])
        connect("Pad.out", "Recorder.in")
        XCTAssertEqual(found("Pad", "Recorder"), [["Pad.out", "Pad.out-2"], ["Recorder.in"]])
    }

    func testBothEndsAreLookedUpTogether() {
        for number in 1...2 {
            add("Pad", "pad\(number)", .sender)
            add("Recorder", "recorder\(number)", .receiver)
        }
        add("Lead", "lead", .sender)
        connect("lead", "recorder1")
        connect("pad1", "recorder2")
        XCTAssertEqual(found("Pad", "Recorder"), [["pad1"], ["recorder2"]])
        XCTAssertEqual(found("Lead", "Recorder"), [["lead"], ["recorder1"]])
        connect("pad2", "recorder1")
        XCTAssertEqual(found("Pad", "Recorder"), [["pad1", "pad2"], ["recorder1", "recorder2"]])
        XCTAssertEqual(found("Pad", "recorder1"), [["pad2"], ["recorder1"]])
    }

    /// An app's name means its first port where no connection says otherwise.
    func testAnAppMeansItsPortThatIsConnected() {
        let synth = fixture.client("Synth")
        add("Synth", "main", .sender, client: synth)
        add("Synth", "effect", .sender, client: synth)
        let mixer = fixture.client("Mixer")
        add("Mixer", "one", .receiver, client: mixer)
        add("Mixer", "two", .receiver, client: mixer)
        XCTAssertEqual(found("Synth", "Mixer"), [["main"], ["one"]])
        connect("effect", "two")
        XCTAssertEqual(found("Synth", "Mixer"), [["effect"], ["two"]])
        connect("main", "one")
        XCTAssertEqual(found("Synth", "Mixer"), [["main"], ["one"]])
    }

    /// "Tone" is not connected. That "Tone 2" is does not make it the meant one.
    func testABeginningIsNotTakenWhereAWholeNameFits() {
        add("Tone", "Tone.out", .sender)
        add("Tone 2", "Tone 2.out", .sender)
        add("Recorder", "Recorder.in", .receiver)
        connect("Tone 2.out", "Recorder.in")
        XCTAssertEqual(found("Tone", "Recorder"), [["Tone.out"], ["Recorder.in"]])
        XCTAssertEqual(found("to", "Recorder"), [["Tone 2.out"], ["Recorder.in"]])
        // Nor is a port whose title is another port's name.
        add("Trap", "trap", .sender, title: "Tone.out")
        connect("trap", "Recorder.in")
        XCTAssertEqual(found("Tone.out", "Recorder"), [["Tone.out"], ["Recorder.in"]])
    }
}
