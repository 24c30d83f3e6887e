// SPDX-License-Identifier: MIT
import ConnectionGraph
import XCTest

/// Names as people type them: in any case, shortened, and misspelt.
final class TypedNameTests: XCTestCase {
    private var fixture = GraphFixture()

    override func setUp() {
        let piano = fixture.client("Grand Piano", id: "org.example.piano")
        for (order, name) in ["Main", "Resonance"].enumerated() {
            _ = fixture.node(
                "Grand Piano.\(name)", client: piano, outputs: ["l", "r"],
                extra: [
                    PipeBusProperty.kind: "sender", PipeBusProperty.name: name, PipeBusProperty.order: "\(order)",
                ])
        }
        for name in ["Tone", "Tone 2", "Tuner"] {
            _ = fixture.node("\(name).out", client: fixture.client(name), outputs: ["o"])
        }
        _ = fixture.node(
            "Recorder.in", client: fixture.client("Recorder"), inputs: ["l", "r"],
            extra: [PipeBusProperty.kind: "receiver", PipeBusProperty.name: "in"])
        _ = fixture.node(
            "alsa.card", inputs: ["i"], outputs: ["o"], extra: ["node.description": "Sound card: analogue"])
    }

    private func found(_ text: String, as role: GraphSnapshot.Role = .source) -> String {
        switch fixture.snapshot.port(typed: text, as: role) {
        case .found(let port): port.nodeName
        case .missing: "-"
        case .ambiguous(let ports): ports.map(\.nodeName).joined(separator: " | ")
        }
    }

    func testPortsAreNamedAsPeopleSeeThem() {
        for (text, name) in [
            ("Grand Piano", "Grand Piano.Main"), ("Grand Piano:Main", "Grand Piano.Main"),
            ("Grand Piano:Resonance", "Grand Piano.Resonance"), ("Grand Piano/Resonance", "Grand Piano.Resonance"),
            ("org.example.piano:Resonance", "Grand Piano.Resonance"), ("Sound card: analogue", "alsa.card"),
        ] {
            XCTAssertEqual(found(text), name, text)
            // They are exact, so a program may wait for them.
            XCTAssertEqual(fixture.snapshot.port(named: text, as: .source).ports.map(\.nodeName), [name], text)
        }
    }

    func testCaseCountsOnlyWhereItTellsPortsApart() {
        XCTAssertEqual(found("grand piano"), "Grand Piano.Main")
        XCTAssertEqual(found("GRAND PIANO:RESONANCE"), "Grand Piano.Resonance")
        XCTAssertEqual(found("tone"), "Tone.out")
        _ = fixture.node("tone.out", client: fixture.client("tone"), outputs: ["o"])
        XCTAssertEqual(found("tone"), "tone.out")
        XCTAssertEqual(found("Tone"), "Tone.out")
        XCTAssertEqual(found("TONE"), "Tone.out | tone.out")
    }

    func testAUniqueBeginningIsEnough() {
        for (text, name) in [
            ("gr", "Grand Piano.Main"), ("Grand Piano:Re", "Grand Piano.Resonance"),
            ("grand piano.r", "Grand Piano.Resonance"),
            ("tu", "Tuner.out"), ("tone ", "Tone 2.out"), ("so", "alsa.card"), ("org.ex", "Grand Piano.Main"),
        ] { XCTAssertEqual(found(text), name, text) }
        XCTAssertEqual(found("rec", as: .destination), "Recorder.in")
        XCTAssertEqual(found("rec"), "-")
        // An app counts once, however many of its ports begin so.
        XCTAssertEqual(found("t"), "Tone.out | Tone 2.out | Tuner.out")
        XCTAssertEqual(found("grand piano:"), "Grand Piano.Main | Grand Piano.Resonance")
        // A whole name comes before one that begins with it.
        XCTAssertEqual(found("Tone"), "Tone.out")
        for text in ["", " ", "\u{301}", ":", "x", "ano"] { XCTAssertEqual(found(text), "-", text) }
    }

    /// What `connect` waits for.
    func testAnExactLookUpTakesNoOtherPort() {
        for text in ["grand piano", "Grand", "Ton", "TONE", "Grand Piano:", "Grand Piano:main"] {
            XCTAssertEqual(fixture.snapshot.port(named: text, as: .source), .missing, text)
        }
    }

    func testASerialStaysUnique() throws {
        let port = try XCTUnwrap(fixture.port("Tone.out"))
        for text in ["Tone.out:\(port.id.serial)", ":\(port.id.serial)", "tone:\(port.id.serial)"] {
            XCTAssertEqual(found(text), "Tone.out")
        }
        XCTAssertEqual(found("Tuner:\(port.id.serial)"), "-")
        // A port that has the other's serial as its name.
        _ = fixture.node(
            "Tone.number", client: fixture.client("Tone"), outputs: ["o"],
            extra: [PipeBusProperty.kind: "sender", PipeBusProperty.name: "\(port.id.serial)"])
        XCTAssertEqual(found("Tone:\(port.id.serial)"), "Tone.out")
        XCTAssertEqual(found("Tone/\(port.id.serial)"), "Tone.number")
    }

    func testAMisspeltNameSuggestsTheNearest() {
        let graph = fixture.snapshot
        for (text, role, name) in [
            ("Grnad Piano", GraphSnapshot.Role.source, "Grand Piano"), ("Tonne", .source, "Tone"),
            ("tnoe", .source, "Tone"), ("Recoder", .destination, "Recorder"), ("RECORDR", .destination, "Recorder"),
            ("Rec", .destination, "Recorder.in"), ("Grand Piano:Rezonance", .source, "Grand Piano:Resonance"),
        ] {
            XCTAssertEqual(graph.nearestName(to: text, as: role), name, text)
            XCTAssertNotEqual(graph.port(named: name, as: role), .missing)
        }
        for text in ["Nobody", "x", "", "t"] { XCTAssertNil(graph.nearestName(to: text, as: .source), text) }
    }

    func testHostileNamesAreNotSuggestedAsTheyAre() throws {
        for name in ["-Organ", "Organ" + String(repeating: "\u{301}", count: 100_000)] {
            var fixture = GraphFixture()
            _ = fixture.node(name, outputs: ["o"])
            let graph = fixture.snapshot
            let suggestion = try XCTUnwrap(graph.nearestName(to: String(name.dropLast()), as: .source) ?? ":1010")
            XCTAssertEqual(suggestion, ":1010")
        }
        let long = String(repeating: "Organ:/", count: 150_000)
        for text in [long, "O" + String(repeating: "\u{301}", count: 1_000_000), long + " "] {
            XCTAssertEqual(found(text), "-")
            XCTAssertNil(fixture.snapshot.nearestName(to: text, as: .source))
        }
    }
}
