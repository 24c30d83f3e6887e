// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Which icon theme the tool takes, in a process with settings of its own: GLib reads them once.
final class UserThemeTests: ToolTestCase {
    private func write(_ text: String, to path: String) throws {
        let file = URL(filePath: "\(folder)/\(path)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    /// Installs a schema of the desktop's settings with this key.
    private func installSchema(_ key: String) throws {
        try write(
            """
            <schemalist><schema id="org.gnome.desktop.interface" path="/org/gnome/desktop/interface/">
            \(key)</schema></schemalist>
            """, to: "schemas/org.gnome.desktop.interface.gschema.xml")
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = ["glib-compile-schemas", "\(folder)/schemas"]
        try compiler.run()
        compiler.waitUntilExit()
        XCTAssertEqual(compiler.terminationStatus, 0)
    }

    func testTheThemeOfTheSettingsIsTaken() async throws {
        let daemon = try await startDaemon()
        let bus = try await BusClient.connect(
            as: "org.pipebus.test", name: "Synth", iconName: "synth", remote: daemon.remote)
        _ = try await bus.sender("out", channels: .mono, state: ()) { _, _, _ in }
        for theme in ["Standard", "Chosen", "File", "breeze", "hicolor"] {
            try write("[Icon Theme]\nName=x\nDirectories=a\n[a]\nSize=48\n", to: "icons/\(theme)/index.theme")
            try write("<svg><!-- \(theme) --></svg>", to: "icons/\(theme)/a/synth.svg")
        }
        func theme(_ settings: [String: String] = [:]) async throws -> String? {
            let process = try start(
                "pipebus", ["graph", "--svg", "/dev/stdout"], at: daemon.environment(),
                adding: [
                    "XDG_DATA_HOME": folder, "XDG_DATA_DIRS": "\(folder)/none", "XDG_CONFIG_HOME": "\(folder)/config",
                    "HOME": "\(folder)/home", "GSETTINGS_SCHEMA_DIR": "\(folder)/schemas", "XDG_CURRENT_DESKTOP": "X",
                    "GSETTINGS_BACKEND": "memory", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/not/there",
                ].merging(settings) { $1 })
            let ending = try await process.waitForEnd(within: .seconds(20))
            XCTAssertEqual(ending, .exited(0), process.errors.text)
            XCTAssertEqual(process.errors.text, "")
            let found = ["Standard", "Chosen", "File", "breeze", "hicolor"].filter { theme in
                process.output.text.contains(Data("<svg><!-- \(theme) --></svg>".utf8).base64EncodedString())
            }
            XCTAssertLessThanOrEqual(found.count, 1)
            return found.first
        }
        // No settings, and then a schema without the key, or with one that is no text.
        var taken = try await theme()
        XCTAssertEqual(taken, "hicolor")
        for key in [
            "<key name=\"other\" type=\"s\"><default>'x'</default></key>",
            "<key name=\"icon-theme\" type=\"b\"><default>true</default></key>",
        ] {
            try installSchema(key)
            taken = try await theme()
            XCTAssertEqual(taken, "hicolor", key)
        }
        try installSchema("<key name=\"icon-theme\" type=\"s\"><default>'Standard'</default></key>")
        taken = try await theme()
        XCTAssertEqual(taken, "Standard")
        taken = try await theme(["XDG_CURRENT_DESKTOP": "KDE"])
        XCTAssertEqual(taken, "breeze")
        try write("[Settings]\ngtk-icon-theme-name=File\n", to: "config/gtk-3.0/settings.ini")
        taken = try await theme()
        XCTAssertEqual(taken, "File")
        try write("[org/gnome/desktop/interface]\nicon-theme='Chosen'\n", to: "config/glib-2.0/settings/keyfile")
        taken = try await theme(["GSETTINGS_BACKEND": "keyfile"])
        XCTAssertEqual(taken, "Chosen")
        await bus.close()
    }
}
