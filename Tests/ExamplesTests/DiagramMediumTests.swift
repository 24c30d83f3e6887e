// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import XCTest

@testable import PipeBusCommand

/// MIDI in the forms of the graph.
final class DiagramMediumTests: XCTestCase {
    /// A keyboard plays a synthesizer, whose sound goes to a recorder.
    private let fixture: DiagramFixture = {
        var fixture = DiagramFixture()
        fixture.add("keys", of: nil, title: "Keyboard", extra: ["media.class": "Midi/Bridge"])
        fixture.add("synth", of: "Synth", outputs: 1)
        fixture.add("Tape.in", of: "Tape", .receiver, inputs: 2, width: 1)
        fixture.link(fixture.addMIDI(to: "keys", isInput: false), fixture.addMIDI(to: "synth", isInput: true))
        fixture.connect("synth", "Tape.in")
        return fixture
    }()

    func testTheTree() {
        let expected = """
            3 ports of 2 apps, 2 connections
            48000 Hz, 1024 frames (21.3 ms) a cycle, driven by Dummy

              PORT        CH   LANES  NOTES

            Synth  org.example.Synth
              ▶ synth      1          MIDI in
                └─ keys               MIDI

            Tape  org.example.Tape
              ■ Tape.in    1  1 of 2
                └─ synth           1

            Devices
              ○ keys                  “Keyboard”, MIDI out

            Pipelines
              synth → Tape.in
            """
        let lines = GraphTree(fixture.diagram()).text.split(separator: "\n", omittingEmptySubsequences: false)
        XCTAssertEqual(
            lines.map { $0.replacing(/\ +$/, with: "") }.joined(separator: "\n"), expected)
    }

    func testTheOtherForms() throws {
        let diagram = fixture.diagram()
        XCTAssertTrue(GraphDOT(diagram).text.contains("[label=\"MIDI\", style=dotted]"), GraphDOT(diagram).text)
        XCTAssertTrue(GraphMermaid(diagram).text.contains("-.->|"), GraphMermaid(diagram).text)
        XCTAssertTrue(GraphSVG(diagram).text.contains("MIDI out"))
        let json = try XCTUnwrap(
            try JSONSerialization.jsonObject(with: Data(try GraphDocument(diagram).jsonDocument.utf8)) as? [String: Any]
        )
        let apps = try XCTUnwrap(json["apps"] as? [[String: Any]])
        let feeds = apps.flatMap { $0["ports"] as? [[String: Any]] ?? [] }
            .flatMap { $0["sources"] as? [[String: Any]] ?? [] }
        XCTAssertEqual(feeds.compactMap { $0["medium"] as? String }, ["midi", "audio"])
    }

    /// Whoever asks for the keyboard wants to see where it leads.
    func testTheFilterFollowsIt() {
        XCTAssertEqual(Set(fixture.diagram("keyb").ports.map(\.uniqueName)), ["keys", "synth", "Tape.in"])
    }
}
