// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The example actions as desktop entries.
final class ActionInstallTests: ActionTestCase {
    func testInstalled() async throws {
        let session = try await actionSession()
        let path = try writeSound(frameCount: 48_000)
        let before = try content(path)
        let entry = "\(folder)/data/applications/org.pipebus.ReverseAudio.desktop"
        let service = "\(folder)/data/dbus-1/services/org.pipebus.ReverseAudio.service"
        for (count, words) in [(1, "is installed: "), (2, "was installed already: ")] {
            let installed = try await run("reverse-audio", ["--install"], in: session)
            XCTAssertEqual(installed.output.text, "Reverse \(words)\(entry)", "\(count)")
        }
        _ = try await run("normalize-loudness", ["--install"], in: session)
        let validator = try ChildProcess("desktop-file-validate", [entry], environment: session.environment)
        let ending = try await validator.waitForEnd()
        XCTAssertEqual(ending, .exited(0), validator.output.text + validator.errors.text)
        XCTAssertEqual(validator.output.text, "")
        // A file manager finds it for a type, and opens a file with it.
        let types = try ChildProcess("gio", ["mime", "audio/flac"], environment: session.environment)
        try await types.waitForEnd()
        XCTAssertTrue(types.output.text.contains("org.pipebus.ReverseAudio.desktop"), types.output.text)
        let opened = try ChildProcess("gio", ["launch", entry, path], environment: session.environment)
        try await opened.waitForEnd()
        try await eventually("the result beside the file") {
            FileManager.default.fileExists(atPath: "\(self.sounds)/Speech (Reversed).wav")
        }
        // Over D-Bus, in a row with another one.
        _ = try await run(
            "pipebus",
            [
                "action", "run", "normalise", path, "--then", "org.pipebus.ReverseAudio", "--then", "reverse",
                "--set",
                "target=-23", "--output", "\(sounds)/row.wav",
            ], in: session)
        _ = try await run("normalize-loudness", [path, "--target", "-23", "\(sounds)/direct.wav"], in: session)
        XCTAssertEqual(try content("\(sounds)/row.wav"), try content("\(sounds)/direct.wav"))
        XCTAssertEqual(try content(path), before)
        let completed = try await run("pipebus", ["complete", "fish", "pipebus action run --then nor"], in: session)
        XCTAssertEqual(completed.output.lines, ["Normalise Loudness"])
        for words in ["is not installed any more.", "was not installed by this user."] {
            let removed = try await run("reverse-audio", ["--uninstall"], in: session)
            XCTAssertEqual(removed.output.text, "Reverse \(words)")
        }
        for path in [entry, service] { XCTAssertFalse(FileManager.default.fileExists(atPath: path)) }
        let list = try await run("pipebus", ["action", "list"], in: session)
        XCTAssertFalse(list.output.text.contains("Reverse"), list.output.text)
        try await assertNothingTemporary()
    }

    /// What opens sound files stays what it was, and a double click runs no action.
    func testTheDefaultAppStays() async throws {
        let session = try await actionSession()
        let player = "\(folder)/packages/applications/org.example.Player.desktop"
        try "[Desktop Entry]\nType=Application\nName=Player\nExec=true %f\nMimeType=audio/x-wav;audio/flac;\n".write(
            toFile: player, atomically: true, encoding: .utf8)
        let update = try ChildProcess("update-desktop-database", ["\(folder)/packages/applications"])
        try await update.waitForEnd()
        for mode in ["--install", "--install", "--uninstall"] {
            _ = try await run("reverse-audio", [mode], in: session)
            for type in ["audio/x-wav", "audio/flac"] {
                let types = try ChildProcess("gio", ["mime", type], environment: session.environment)
                try await types.waitForEnd()
                let first = types.output.lines.first ?? ""
                XCTAssertTrue(first.hasSuffix("org.example.Player.desktop"), "\(mode) \(type): \(types.output.text)")
            }
        }
    }

    /// An entry of somebody else is not replaced.
    func testAnEntryOfSomebodyElse() async throws {
        let session = try await actionSession()
        let entry = "\(folder)/data/applications/org.pipebus.ReverseAudio.desktop"
        let text = "[Desktop Entry]\nType=Application\nName=Mine\nExec=true\n"
        try text.write(toFile: entry, atomically: true, encoding: .utf8)
        try await fails("reverse-audio", ["--install"], "is an entry that somebody else has written", in: session)
        let removed = try await run("reverse-audio", ["--uninstall"], in: session)
        XCTAssertEqual(removed.output.text, "Reverse was not installed by this user.")
        XCTAssertEqual(try String(contentsOfFile: entry, encoding: .utf8), text)
    }
}
