// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

/// What `print` shows of values of the graph.
final class DescriptionTests: XCTestCase {
    private func item(_ source: String, _ destination: String, _ channels: ChannelPairing = .matching)
        -> ConnectionChange.Item
    {
        ConnectionChange.Item(
            source: PortName(applicationID: "org.example.a", nodeName: source),
            destination: PortName(applicationID: nil, nodeName: destination), channels: channels)
    }

    func testACertainty() { XCTAssertEqual(Certainty.allCases.map { "\($0)" }, ["no", "unknown", "yes"]) }

    func testAConnectionHasNamesThatFindItsPorts() {
        func connection(_ medium: Medium) -> Connection {
            Connection(
                source: GraphPort.ID(serial: 42), destination: GraphPort.ID(serial: 57), medium: medium,
                links: [Connection.Link(output: 0, input: 1, id: 3, serial: 4)])
        }
        XCTAssertEqual("\(connection(.audio))", ":42 → :57")
        XCTAssertEqual(String(describing: connection(.midi)), ":42 → :57 (midi)")
    }

    func testAChange() {
        let change = ConnectionChange(
            connected: [item("Tone.out", "Echo.in"), item("Echo.in", "Mixer.in", .crossed)],
            disconnected: [item("Tone.out", "Mixer.in", .downmix())])
        XCTAssertEqual(
            "\(change)",
            "connected Tone.out → Echo.in, Echo.in → Mixer.in (2 pairs of channels); disconnected Tone.out → Mixer.in (downmix)"
        )
        XCTAssertEqual("\(change.connected[0])", "Tone.out → Echo.in")
        XCTAssertEqual("\(item("a", "b", .single(output: "FL")))", "a → b (one channel)")
        XCTAssertEqual("\(ConnectionChange(connected: [], disconnected: []))", "nothing changed")
        XCTAssertEqual(
            "\(ConnectionChange(connected: [item("a", "b")], disconnected: []).inverse)", "disconnected a → b")
    }

    func testNamesOfOtherProgramsAreOneShortLine() {
        let text = "\(item("a\u{1B}[2J\n\u{202E}" + String(repeating: "x", count: 1_000_000), "b"))"
        XCTAssertLessThan(text.utf8.count, 400)
        for scalar in text.unicodeScalars {
            XCTAssertNotEqual(scalar.properties.generalCategory, .control, text)
            XCTAssertFalse(scalar.properties.isBidiControl, text)
        }
    }
}
