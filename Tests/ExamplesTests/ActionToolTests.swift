// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus action`.
final class ActionToolTests: ActionTestCase {
    func testConvertedByTheName() async throws {
        let session = try await actionSession()
        try await installHost("One", in: session)
        let path = try writeSound()
        for (name, head) in [("x.flac", "fLaC"), ("x.aiff", "FORM"), ("x.ogg", "OggS"), ("x.WAV", "RIFF")] {
            _ = try await run("pipebus", ["action", "run", "Test One", path, "-o", "\(sounds)/\(name)"], in: session)
            XCTAssertEqual(try content("\(sounds)/\(name)").prefix(4), Data(head.utf8), name)
        }
        _ = try await run(
            "pipebus", ["action", "run", "Test One", "\(sounds)/x.flac", "-o", "\(sounds)/back.wav"], in: session)
        XCTAssertEqual(try content("\(sounds)/back.wav"), try content(path))
    }

    func testBadInputOfTheTool() async throws {
        let session = try await actionSession()
        try await installHost("One", in: session)
        let path = try writeSound()
        let files = try names(in: sounds)
        for (arguments, words, status) in [
            (["One", path], "No action called \"One\" is installed; ", 1),
            (["Test One", path, "--set", "mode"], "sets nothing; write it as name=value.", 1),
            (
                ["Test One", path, "--set", "mood=good"],
                "Test One has no parameter \"mood\"; it has mode.", 1
            ),
            (["Test One", path, "--set", "mode=good"], "\"mode\" takes one of copy, fail,", 1),
            (["Test One", path, "--output", path], "is a file that is read, which no action changes", 1),
            (["Test One", path, "--output", "\(sounds)/none/"], "There is no folder", 1),
            (["Test One", path, "--output", "\(sounds)/none/x.wav"], "name a folder that is there", 1),
            (["Test One", path, "--output", "\(sounds)/x.xyz"], "No sound file is written as .xyz; end the name", 1),
            (["Test One", path, "--output", "\(sounds)/x"], "has no extension, which says its format", 1),
            (["Test One", path, "--set", "1.mode=fail", "--set", "mode=copy"], "gets \"mode\" twice; write", 1),
            (["Test One", path, "--set", "2.mode=fail"], "has no parameter \"2.mode\"", 1),
            (["Test One", "\(sounds)/caf\u{FFFD}.wav"], "another encoding than UTF-8, so rename it", 1),
            (["Test One", "/dev/zero"], "is not a file; name a sound file.", 1),
            (["Test One", path, "--force"], "--force is for a file that --output names", 64),
            (["Test One", path, "--timeout", "0"], "--timeout takes 0.1 to 86400 seconds, not 0.", 64),
            (["Test One", "\(sounds)/none.wav"], "cannot be read", 1),
            (["Test One"], "Missing expected argument", 64),
            (["", path], "The name of an action is empty", 64),
            (["Test One", path, "--set", "mode=fail"], "Test One: The oven is cold; warm it.", 1),
        ] as [([String], String, Int32)] {
            try await fails("pipebus", ["action", "run"] + arguments, words, status: status, in: session)
            XCTAssertEqual(try names(in: sounds), files, "\(arguments)")
        }
        // What stands behind "pipebus action" is looked at too.
        for (arguments, words) in [
            (["action", "Reverse", path], "\"Reverse\" is no command of action; the commands are list and run."),
            (["action", "run", "Test One", path, "--nonsense"], "pipebus action run --help"),
        ] { try await fails("pipebus", arguments, words, status: 64, in: session) }
        let dashed = try start(
            "pipebus", ["action", "run", "Test One", "-dash.wav"], at: session.environment,
            through: ["bash", "-c", "cd \(sounds) && cp Speech.wav ./-dash.wav && exec \"$@\"", "bash"])
        try await assertOneSentence(
            dashed, from: "pipebus", status: 64, saying: "\"-dash.wav\" begins as an option does; write \"./-dash.wav\""
        )
        try FileManager.default.removeItem(atPath: "\(sounds)/-dash.wav")
        let outside = try start(
            "pipebus", ["action", "run", "Test One", path], at: session.environment,
            adding: [
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"
            ])
        try await assertOneSentence(outside, from: "pipebus", status: 1, saying: "There is no session bus (")
        XCTAssertEqual(try names(in: sounds), files)
    }
}
