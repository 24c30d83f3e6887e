// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusCommand

/// The apps that names stand for.
final class TypedAppTests: XCTestCase {
    private let graph = DiagramFixture.twoRecorders.snapshot

    func testEachAppHasANameThatFindsIt() throws {
        for peer in graph.peers {
            let name = TypedApp.name(of: peer, in: graph)
            XCTAssertEqual(try TypedApp.find(name, in: graph), peer, name)
        }
    }

    func testTheExactNameComesFirstAndThenTheBeginning() throws {
        var fixture = DiagramFixture()
        for app in ["Voice", "Voice Synth", "Organ", "voice"] {
            fixture.add("\(app).out", of: app, .sender, title: "Sound of \(app)", outputs: 1)
        }
        let graph = fixture.snapshot
        func found(_ text: String) -> [String] { TypedApp.all(text, in: graph).map(\.name) }
        XCTAssertEqual(found("Voice"), ["Voice"])
        XCTAssertEqual(found("voice"), ["voice"])
        XCTAssertEqual(found("VOICE"), ["Voice", "voice"])
        XCTAssertEqual(found("voice s"), ["Voice Synth"])
        XCTAssertEqual(found("voice synth.OUT"), ["Voice Synth"])
        XCTAssertEqual(found("voice synth:o"), ["Voice Synth"])
        XCTAssertEqual(found("sound of organ"), ["Organ"])
        // Not the ids, which all begin so, and no title, which belongs to a port.
        XCTAssertEqual(found("o"), ["Organ"])
        XCTAssertEqual(found("org.example.o"), ["Organ"])
        XCTAssertEqual(found("sound"), [])
        XCTAssertEqual(found(" "), [])
    }

    func testOnlyTheAppsThatANameMayMeanAreAsked() throws {
        func asked(_ name: String, _ trigger: String? = nil) throws -> [String] {
            try TypedTrigger(name, trigger, in: graph).apps.map { TypedApp.name(of: $0, in: graph) }.sorted()
        }
        let all = ["Recorder.in", "Recorder.in-2", "Voice Synth"]
        XCTAssertEqual(try asked("Voice Synth:o"), ["Voice Synth"])
        XCTAssertEqual(try asked("voice", "o"), ["Voice Synth"])
        XCTAssertEqual(try asked("Voice Synth"), ["Voice Synth"])
        XCTAssertEqual(try asked("Recorder.in-2:record"), ["Recorder.in-2"])
        XCTAssertEqual(try asked("Recorder.in-2"), ["Recorder.in-2"])
        XCTAssertEqual(try asked("rec:record"), ["Recorder.in", "Recorder.in-2"])
        // It may be the trigger of any.
        XCTAssertEqual(try asked("record"), all)
        XCTAssertEqual(try asked("voice"), all)
        XCTAssertThrowsError(try asked("Player", "play"))
        XCTAssertThrowsError(try asked("Nobody", "play"))
    }
}
