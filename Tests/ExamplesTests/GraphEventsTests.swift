// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusCommand

/// The lines of `watch` in a pipe.
final class GraphEventsTests: XCTestCase {
    private func lines(
        from before: GraphSnapshot, to after: GraphSnapshot, filter: String? = nil
    ) -> [String] { GraphEvents(from: before, to: after, filter: filter).all.map(\.text) }

    func testEventsInOrder() {
        var graph = DiagramFixture()
        let empty = graph.snapshot
        graph.add("Tone.out", of: "Tone", .sender, title: "Warm tone", outputs: 1)
        graph.add("Tape.in", of: "Tape", .receiver, inputs: 2, width: 1)
        graph.add("speakers", of: nil, inputs: 1, extra: ["media.class": "Audio/Sink"])
        let ports = graph.snapshot
        XCTAssertEqual(
            lines(from: empty, to: ports),
            [
                "port         Tone.out  sender of Tone  “Warm tone”", "port         Tape.in  receiver of Tape",
                "port         speakers  device",
            ])
        graph.connect("Tone.out", "Tape.in")
        let connected = graph.snapshot
        XCTAssertEqual(lines(from: ports, to: connected), ["connected    Tone.out → Tape.in"])
        XCTAssertEqual(
            lines(from: connected, to: ports), ["disconnected Tone.out → Tape.in"])
        // Connections go before their ports, and come after them.
        XCTAssertEqual(
            lines(from: connected, to: empty, filter: "tone"),
            ["disconnected Tone.out → Tape.in", "gone         Tone.out  sender of Tone  “Warm tone”"])
        XCTAssertEqual(lines(from: empty, to: connected).last, "connected    Tone.out → Tape.in")
        XCTAssertEqual(lines(from: connected, to: connected), [])
        XCTAssertEqual(lines(from: empty, to: connected, filter: "nobody"), [])
    }

    /// A person is told of connections, and of links only where some are missing.
    func testOfAConnectionOnlyMissingLinksAreCounted() throws {
        var graph = DiagramFixture()
        graph.add("Tone.out", of: "Tone", .sender, outputs: 2)
        graph.add("Tape.in", of: "Tape", .receiver, inputs: 4, width: 2)
        graph.add("sum", of: "Rack", inputs: 3)
        let ports = graph.snapshot
        let half = graph.connect("Tone.out", "Tape.in").snapshot
        let whole = graph.connect("Tone.out", "Tape.in", lane: 1, output: 1).snapshot
        let moving = graph.connect("Tone.out", "Tape.in", lane: 2).snapshot
        func lines(_ before: GraphSnapshot, _ after: GraphSnapshot) -> [String] {
            GraphEvents(from: before, to: after, hasAllLinks: false).all.map(\.text)
        }
        XCTAssertEqual(lines(ports, half), ["connected    Tone.out → Tape.in  1 of 2 links"])
        XCTAssertEqual(lines(half, whole), ["connected    Tone.out → Tape.in"])
        XCTAssertEqual(lines(whole, half), ["connected    Tone.out → Tape.in  1 of 2 links"])
        XCTAssertEqual(lines(whole, moving), [], "to another lane")
        XCTAssertEqual(lines(whole, ports), ["disconnected Tone.out → Tape.in"])
        // Nobody can tell how many it should have.
        let foreign = graph.connect("Tone.out", "sum").snapshot
        XCTAssertEqual(lines(moving, foreign), ["connected    Tone.out → sum"])
        // A program gets all of them.
        for (before, after) in [(half, whole), (whole, moving), (whole, half)] {
            let event = try XCTUnwrap(GraphEvents(from: before, to: after).all.first)
            XCTAssertEqual(event.event, .linksChanged)
            XCTAssertEqual(event.links?.expected, 2)
        }
    }

    func testLevels() {
        var graph = DiagramFixture()
        graph.add("Tone.out", of: "Tone", .sender, outputs: 1)
        graph.add("Mixer.in", of: "Mixer", .receiver, inputs: 2, width: 1)
        graph.connect("Tone.out", "Mixer.in")
        let (tone, mixer) = (graph.id("Tone.out"), graph.id("Mixer.in"))
        var events = LevelEvents()
        func changes(_ levels: [GraphPort.ID: GraphFacts.Levels]) -> [Source.Level] {
            events.changes(to: levels, in: graph.snapshot).map(\.level)
        }
        XCTAssertEqual(changes([mixer: .success([tone: Source.Level()])]), [], "as that of any new source")
        let soft = Source.Level(volume: 0.5, isMuted: true)
        XCTAssertEqual(changes([mixer: .success([tone: soft])]), [soft])
        XCTAssertEqual(changes([mixer: .success([tone: soft])]), [])
        // An app that does not answer has not changed anything.
        XCTAssertEqual(changes([mixer: .failure(PipeBusError(.timedOut, "late"))]), [])
        XCTAssertEqual(changes([mixer: .success([tone: Source.Level()])]), [Source.Level()])
        var event = WatchEvent(.level)
        (event.source, event.destination, event.volume, event.pan) = ("Tone.out", "Mixer.in", 0.501187, -0.3)
        (event.isMuted, event.isSoloed) = (true, false)
        XCTAssertEqual(event.text, "level        Tone.out → Mixer.in  -6.0 dB  L30  muted")
    }

    func testHostileNamesAreOneLine() {
        var graph = DiagramFixture()
        graph.add("a\u{1B}[2J\nb\u{202E}c", of: "x\u{9B}\r", .sender, title: "\u{7}\u{2028}", outputs: 1)
        for line in lines(from: .empty, to: graph.snapshot) {
            for scalar in line.unicodeScalars {
                XCTAssertNotEqual(scalar.properties.generalCategory, .control, line)
                XCTAssertNotEqual(scalar.properties.generalCategory, .lineSeparator, line)
                XCTAssertFalse(scalar.properties.isBidiControl, line)
            }
        }
    }
}
