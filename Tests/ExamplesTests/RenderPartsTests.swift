// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTesting
import ToolSupport
import XCTest

@testable import PipeBusApps
@testable import PipeBusCommand

/// The pure parts of `pipebus render`.
final class RenderPartsTests: XCTestCase {
    private static func app(_ id: String, _ name: String, _ ports: [AppPort]) -> InstalledApp {
        InstalledApp(
            id: id, name: name, iconName: nil, ports: ports, isDBusActivatable: false, entryPath: "/x.desktop")
    }

    private let installed = [
        app("org.example.amp", "Amp", [.sender("out"), .filter("gain")]),
        app("org.example.ampere", "Ampere", [.sender("out")]),
        app("org.example.desk", "Desk", [.filter("left"), .filter("right", title: "Right Side"), .receiver("in")]),
        app("org.example.v1.2", "Voice 1.2", [.filter("fx.a"), .filter("b")]),
    ]

    private func named(_ text: String) throws -> String {
        guard case .app(let app, let port) = try RenderFilter.named(text, among: installed) else { return "" }
        return "\(app.id):\(port.name)"
    }

    func testFiltersByTheirNames() throws {
        for (text, found) in [
            ("Amp", "org.example.amp:gain"), ("am", "org.example.amp:gain"),
            ("org.example.amp", "org.example.amp:gain"),
            ("amp.gain", "org.example.amp:gain"), ("Desk:left", "org.example.desk:left"),
            ("Desk:Right Side", "org.example.desk:right"), ("desk/r", "org.example.desk:right"),
            ("Voice 1.2.fx.a", "org.example.v1.2:fx.a"), ("org.example.v1.2:b", "org.example.v1.2:b"),
        ] { XCTAssertEqual(try named(text), found, text) }
        for (text, words) in [
            ("Desk", "Desk has 2 filters; name one of them, such as \"Desk:left\" or \"Desk:right\"."),
            ("Amp:out", "\"Amp:out\" is a sender, which no sound passes through; name \"Amp:gain\"."),
            ("Ampere", "Ampere declares no filter, so no sound passes through it; name another app,"),
            ("Desk:in", "\"Desk:in\" is a receiver"), ("Emp", "is \"Amp\" meant?"),
            ("", "No app called \"\" is installed"),
        ] {
            XCTAssertThrowsError(try named(text)) { error in
                let message = (error as? ToolFailure)?.message ?? "\(error)"
                XCTAssertTrue(message.contains(words), message)
            }
        }
    }

    func testFiltersAreOffered() {
        let completion = AppCompletion(GraphSnapshot(revision: 0), installed: installed)
        func request(_ line: String) -> CompletionRequest {
            CompletionRequest(TypedCommandLine(line), commands: PipeBusCommand.commands)
        }
        XCTAssertEqual(request("pipebus render ").slot, .file)
        XCTAssertEqual(request("pipebus render a.wav ").slot, .file)
        XCTAssertEqual(request("pipebus render a.wav b.wav --quantum ").slot, nil)
        XCTAssertEqual(request("pipebus render a.wav b.wav --through-command ").slot, nil)
        for line in ["pipebus render a.wav b.wav --through ", "pipebus render a.wav b.wav --through Amp "] {
            XCTAssertEqual(
                completion.names(for: request(line)),
                ["Amp", "Desk:left", "Desk:right", "Voice 1.2:b", "Voice 1.2:fx.a"], line)
        }
        XCTAssertEqual(
            completion.names(for: request("pipebus render a b --through org.example.d")),
            ["org.example.desk:left", "org.example.desk:right"])
    }

    func testTheEnvironmentOfAFilter() {
        let environment = RenderEnvironment.changed(
            [
                "HOME": "/home/x", "XDG_RUNTIME_DIR": "/run/x", "WAYLAND_DISPLAY": "wayland-0",
                "PIPEWIRE_LATENCY": "64/48000", "PIPEWIRE_PROPS": "{}", "PIPEWIRE_REMOTE": "pipewire-1",
                "PIPEWIRE_CONFIG_DIR": "/c", "PIPEWIRE_DEBUG": "3", "SPA_PLUGIN_DIR": "/spa",
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/x/bus", "DBUS_STARTER_BUS_TYPE": "session",
                "PIPEBUS_LAUNCHED_BY": "org.example.x", "GIO_LAUNCHED_DESKTOP_FILE_PID": "7",
                "XDG_ACTIVATION_TOKEN": "t",
            ], remote: "/p/pipewire-0", bus: "unix:path=/p/bus")
        XCTAssertEqual(
            environment,
            [
                "HOME": "/home/x", "XDG_RUNTIME_DIR": "/run/x", "WAYLAND_DISPLAY": "wayland-0",
                "PIPEWIRE_REMOTE": "/p/pipewire-0", "PIPEWIRE_CONFIG_DIR": "/c", "PIPEWIRE_DEBUG": "3",
                "SPA_PLUGIN_DIR": "/spa", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/p/bus",
            ])
    }

    func testWhatTheProcessBetweenSays() {
        let events: [RenderHost.Event] = [
            .bus(true), .bus(false), .failed("It could not be started (no: such); try."), .failed(""),
            .ended(.exited(64), "echo-filter: no\u{301} such thing"), .ended(.exited(0), ""),
            .ended(.killed(signal: 9), " two  words "),
        ]
        for event in events { XCTAssertEqual(RenderHost.Event(line: event.line), event, event.line) }
        for line in ["", "exited", "other 1", "warning: something"] { XCTAssertNil(RenderHost.Event(line: line), line) }
        XCTAssertEqual(RenderHost.Event(line: "exited x y"), .ended(.exited(-1), "y"))
        // One line, whatever a program has written.
        let line = RenderHost.Event.ended(.exited(1), "a\nbus 1\u{1B}[2J").line
        XCTAssertFalse(line.unicodeScalars.contains { $0.value < 0x20 }, line)
    }
}
