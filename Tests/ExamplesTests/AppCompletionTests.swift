// SPDX-License-Identifier: MIT
import PipeBus
import XCTest

@testable import PipeBusApps
@testable import PipeBusCommand

/// The names of apps that are offered.
final class AppCompletionTests: XCTestCase {
    private let graph = DiagramFixture.twoRecorders.snapshot

    private func request(_ line: String) -> CompletionRequest {
        CompletionRequest(TypedCommandLine(line), commands: PipeBusCommand.commands)
    }

    private func names(_ line: String) -> [String] { AppCompletion(graph).names(for: request(line)) }

    func testAppsThatRunAreOffered() {
        XCTAssertEqual(names("pipebus quit "), ["Player", "Recorder.in", "Recorder.in-2", "Voice Synth"])
        XCTAssertEqual(names("pipebus triggers "), ["Recorder.in", "Recorder.in-2", "Voice Synth"])
        XCTAssertEqual(names("pipebus show v"), ["Voice Synth"])
        XCTAssertEqual(names("pipebus switch rec"), ["Recorder"])
        XCTAssertEqual(names("pipebus quit org.example.V"), ["org.example.Voice Synth"])
        XCTAssertEqual(names("pipebus quit Voice Synth "), [])
    }

    func testAppsThatAreInstalledAreOffered() {
        var fixture = DiagramFixture()
        for app in ["Desk", "Drums"] { fixture.add("\(app).out", of: app, .sender, outputs: 1) }
        func app(_ id: String, _ name: String, _ ports: [AppPort]) -> InstalledApp {
            InstalledApp(
                id: id, name: name, iconName: nil, ports: ports, isDBusActivatable: false, entryPath: "/x.desktop")
        }
        let installed = [
            app("org.example.synth", "Voice Synth", [.sender("out"), .sender("second")]),
            app("org.example.Desk", "Desk", [.receiver("in")]),
            app("org.example.Desk2", "Desk 2", [.receiver("in")]),
            app("org.other.piano", "Piano", [.sender("out")]),
        ]
        let completion = AppCompletion(fixture.snapshot, installed: installed)
        func names(_ line: String) -> [String] {
            completion.names(for: CompletionRequest(TypedCommandLine(line), commands: PipeBusCommand.commands))
        }
        XCTAssertEqual(names("pipebus launch "), ["Desk", "Desk 2", "Piano", "Voice Synth"])
        XCTAssertEqual(names("pipebus launch Voice\\ Synth:"), ["Voice Synth:out", "Voice Synth:second"])
        XCTAssertEqual(names("pipebus show "), ["Desk", "Desk 2", "Drums", "Piano", "Voice Synth"])
        XCTAssertEqual(names("pipebus show org.o"), ["org.other.piano"])
        XCTAssertEqual(names("pipebus quit "), ["Desk", "Drums"])
    }
}
