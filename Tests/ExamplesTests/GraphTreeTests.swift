// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import ToolSupport
import XCTest

@testable import PipeBusCommand

/// The graph as text for people.
final class GraphTreeTests: XCTestCase {
    private let diagram = DiagramFixture.everything.diagram()

    func testTheWholeText() {
        let expected = """
            11 ports of 7 apps, 9 connections
            48000 Hz, 1024 frames (21.3 ms) a cycle, driven by Dummy

              PORT             CH   LANES   VOLUME  PAN  LATENCY  NOTES

            Bass  org.example.Bass
              ▶ Bass.out        1                        10.0 ms  live

            Drums  org.example.Drums
              ▶ Drums.out       1                         0.0 ms  “Drum machine”

            Dub  org.example.Dub
              ◆ Dub.dub       1→1                        30.0 ms  bypassed
                └─ Echo.echo                             20.0 ms  in a loop

            Echo  org.example.Echo
              ◆ Echo.echo     1→1                        20.0 ms  20.0 ms apart
                ├─ Bass.out                              10.0 ms
                └─ Dub.dub                               30.0 ms  in a loop

            Mixer  org.example.Mixer
              ■ Mixer.in        1  2 of 4                         30.0 ms apart
                ├─ Drums.out            1  -6.0 dB  L50   0.0 ms  muted
                └─ Dub.dub              2   0.0 dB  R30  30.0 ms  solo
              ▶ Mixer.mix       1

            Rack  org.example.Rack
              ◆ jack          1→1
                └─ mic

            Tape  org.example.Tape
              ■ Tape.in         1  2 of 8
                ├─ speakers             1                         monitor
                └─ jack                 2

            Devices
              ○ mic             1                                 “Microphone”, live
              ● speakers        1                                 “Speakers”
                └─ Mixer.mix

            Monitors of devices
              ◌ speakers        1                                 “Speakers”

            Pipelines
              Bass.out → Echo.echo → Dub.dub → Mixer.in     30.0 ms
              Drums.out → Mixer.in                           0.0 ms
              mic → jack → Tape.in ?
              Mixer.mix → speakers
              speakers → Tape.in
            """
        XCTAssertEqual(GraphTree(diagram, columns: 80).text, expected)
    }

    /// It takes sound and gives it, and is one device, with no monitor.
    func testAVirtualInputDevice() throws {
        var fixture = DiagramFixture()
        fixture.add(
            "virtual", of: nil, inputs: 2, outputs: 2, extra: ["media.class": "Audio/Source/Virtual"])
        fixture.add("Tape.in", of: "Tape", .receiver, inputs: 4, width: 2)
        fixture.add("Lead.out", of: "Lead", .sender, outputs: 2)
        fixture.connect("virtual", "Tape.in")
        func lines() -> [String] { GraphTree(fixture.diagram()).text.split(separator: "\n").map(String.init) }
        XCTAssertEqual(lines().filter { $0.contains("Monitor") || $0.contains("monitor") || $0.contains("●") }, [])
        XCTAssertEqual(lines().filter { $0.contains("○ virtual") }.count, 1)
        fixture.connect("Lead.out", "virtual")
        let place = try XCTUnwrap(lines().firstIndex { $0.contains("○ virtual") })
        XCTAssertTrue(lines()[place + 1].contains("└─ Lead.out"), "\(lines())")
        let ports = fixture.diagram().ports
        let layers = DiagramLayers(ports)
        XCTAssertEqual(layers.edges.count, 2)
        XCTAssertFalse(layers.edges.contains(where: layers.leadsBack))
    }

    func testWithASCIIAlone() {
        let text = GraphTree(DiagramFixture.everything.diagram("bass"), columns: 80, isUnicode: false).text
        XCTAssertTrue(text.allSatisfy(\.isASCII), text)
        XCTAssertTrue(text.contains("Bass.out -> Echo.echo -> Dub.dub -> Mixer.in"), text)
        XCTAssertTrue(text.contains("`- Echo.echo"), text)
    }

    func testColourIsOnlyWhereItIsWanted() {
        XCTAssertFalse(GraphTree(diagram).text.contains("\u{1B}"))
        let text = GraphTree(diagram, columns: 80, hasColour: true).text
        XCTAssertTrue(text.contains("\u{1B}[32m  ▶ Drums.out\u{1B}[0m"), text)
        let plain = text.replacing(/\u{1B}\[\d*m/, with: "")
        XCTAssertEqual(plain, GraphTree(diagram, columns: 80).text)
    }

    func testFiftyPortsFitTheTerminal() {
        var fixture = DiagramFixture()
        fixture.add("Desk.in", of: "Desk", .receiver, inputs: 64, width: 1)
        for number in 0..<50 {
            let name = String(repeating: "音x", count: number + 1)
            fixture.add("\(name).out", of: name, .sender, title: "Title \(number)", outputs: 1)
            fixture.connect("\(name).out", "Desk.in", lane: number)
        }
        for columns in [20, 40, 80, 120, 300] {
            let text = GraphTree(fixture.diagram(), columns: columns).text
            for line in text.split(separator: "\n") { XCTAssertLessThanOrEqual(TextColumns.count(line), columns) }
            XCTAssertTrue(text.contains("and 10 more"), "the list of pipelines is bounded")
        }
        XCTAssertTrue(GraphTree(fixture.diagram(), columns: 80).text.contains("50 of 64"))
    }

    func testInAPipeTheColumnsStayInLine() throws {
        var fixture = DiagramFixture()
        // Marks that pile up on one letter, and a name of more columns than a terminal has.
        let names = ["e" + String(repeating: "\u{301}", count: 100), String(repeating: "long", count: 60)]
        for name in names { fixture.add(name, of: "App", .sender, outputs: 1) }
        fixture.add("Desk.in", of: "Desk", .receiver, inputs: 4, width: 1)
        for (lane, name) in names.enumerated() { fixture.connect(name, "Desk.in", lane: lane) }
        let lines = GraphTree(fixture.diagram()).text.split(separator: "\n").map(String.init)
        let heading = try XCTUnwrap(lines.first { $0.hasPrefix("  PORT") })
        let place = TextColumns.count(try XCTUnwrap(heading.split(separator: "LANES").first)) + 5
        for branch in ["├─", "└─"] {
            let row = try XCTUnwrap(lines.first { $0.contains(branch) })
            XCTAssertEqual(TextColumns.count(row), place, "its lane ends where the column does: \(row)")
        }
        XCTAssertTrue(lines.contains { $0.contains("└─ longlong") && $0.contains("…") }, "\(lines)")
        // Who needs the whole name finds it in its pipeline.
        for name in names { XCTAssertTrue(lines.contains { $0.contains("\(name) → Desk.in") }, name) }
    }

    func testAnEmptyGraph() {
        XCTAssertEqual(GraphTree(DiagramFixture().diagram()).text, "There is no port in the graph.")
    }

    func testTextIsCutWhereItDoesNotFit() {
        let text = StyledText("音楽", .bold) + StyledText("abc", .dim)
        XCTAssertEqual(text.columns, 7)
        for (columns, expected) in [
            (9, "音楽abc"), (7, "音楽abc"), (6, "音楽a…"), (5, "音楽…"), (4, "音…"), (3, "音…"), (1, "…"), (0, ""),
        ] {
            XCTAssertEqual(text.fitted(to: columns).text(hasColour: false), expected, "\(columns)")
            XCTAssertEqual(text.fitted(to: columns).columns, columns)
        }
        XCTAssertEqual(
            text.fitted(to: 8, isRight: true).text(hasColour: true), " \u{1B}[1m音楽\u{1B}[0m\u{1B}[2mabc\u{1B}[0m")
    }
}
