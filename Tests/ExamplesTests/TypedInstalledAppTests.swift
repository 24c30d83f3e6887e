// SPDX-License-Identifier: MIT
import PipeBus
import ToolSupport
import XCTest

@testable import PipeBusApps
@testable import PipeBusCommand

/// Installed apps by the names that a person types.
final class TypedInstalledAppTests: XCTestCase {
    private static func app(_ id: String, _ name: String, _ ports: [AppPort]) -> InstalledApp {
        InstalledApp(
            id: id, name: name, iconName: nil, ports: ports, isDBusActivatable: false, entryPath: "/x.desktop")
    }

    private let installed = [
        app("org.example.synth", "Voice Synth", [.sender("out"), .sender("second")]),
        app("org.example.Desk", "Desk", [.receiver("in")]),
        app("org.example.Desk2", "Desk 2", [.receiver("in")]),
        app("org.other.piano", "Piano", [.sender("out")]),
    ]

    /// The id, and the port if it has one.
    private func launched(_ text: String) throws -> String {
        let (app, port) = try TypedInstalledApp.find(text, among: installed)
        return app.id + (port.map { ":\($0.port.name)" } ?? "")
    }

    func testTheExactNameComesFirstAndThenTheBeginning() throws {
        for (text, found) in [
            ("voice", "org.example.synth"), ("VOICE S", "org.example.synth"), ("desk", "org.example.Desk"),
            ("Desk 2", "org.example.Desk2"), ("org.oth", "org.other.piano"), ("voice:sec", "org.example.synth:second"),
            ("voice.out", "org.example.synth:out"), ("Voice Synth:OUT", "org.example.synth:out"),
        ] { XCTAssertEqual(try launched(text), found, text) }
        for (text, words) in [
            ("des", "\"des\" could be any of org.example.Desk, org.example.Desk2; say which."),
            ("o", "No app called \"o\" is installed"), (" ", "No app called \" \" is installed"),
            ("voice:third", "Voice Synth declares no port \"third\""), ("Pjano", "is \"Piano\" meant?"),
        ] {
            XCTAssertThrowsError(try launched(text)) { error in
                let message = (error as? ToolFailure)?.message ?? "\(error)"
                XCTAssertTrue(message.contains(words), message)
            }
        }
    }

    func testWhatIsShownIsInstalledOrRuns() throws {
        var fixture = DiagramFixture()
        for app in ["Desk", "Voice", "Vocoder", "Drums"] {
            fixture.add("\(app).out", of: app, .sender, outputs: 1)
        }
        func shown(_ text: String) throws -> String {
            try TypedShownApp.find(text, among: installed, in: fixture.snapshot).id
        }
        for (text, found) in [
            ("voice", "org.example.Voice"), ("voice s", "org.example.synth"), ("dr", "org.example.Drums"),
            ("pi", "org.other.piano"), ("Desk", "org.example.Desk"), ("Drums.out", "org.example.Drums"),
        ] { XCTAssertEqual(try shown(text), found, text) }
        for (text, words) in [
            ("vo", "\"vo\" could be any of \"org.example.synth\", \"org.example.Voice\", \"org.example.Vocoder\"; say"),
            ("nobody", "There is no app called \"nobody\"; \"pipebus list --all\" shows"),
            ("Pjano", "; is \"Piano\" meant?"),
        ] {
            XCTAssertThrowsError(try shown(text)) { error in
                let message = (error as? ToolFailure)?.message ?? "\(error)"
                XCTAssertTrue(message.contains(words), message)
            }
        }
    }
}
