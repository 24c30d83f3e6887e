// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The example actions as plain commands, and installed.
final class ActionCommandTests: ActionTestCase {
    private func run(
        _ tool: String, _ arguments: [String], in session: DesktopSession, through wrapper: [String] = [],
        line: UInt = #line
    ) async throws -> ChildProcess {
        let process = try start(tool, arguments, at: session.environment, through: wrapper)
        let ending = try await process.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(0), process.errors.text, line: line)
        return process
    }

    private func fails(
        _ tool: String, _ arguments: [String], _ words: String, status: Int32 = 1, in session: DesktopSession,
        through wrapper: [String] = [], line: UInt = #line
    ) async throws {
        let process = try start(tool, arguments, at: session.environment, through: wrapper)
        try await assertOneSentence(process, from: tool, status: status, saying: words, line: line)
    }

    func testAPlainCommand() async throws {
        let session = try await actionSession()
        let path = try writeSound()
        let before = try content(path)
        // Beside it, with another name each time.
        for _ in 0..<3 { _ = try await run("reverse-audio", [path], in: session) }
        XCTAssertEqual(
            try names(in: sounds),
            ["Speech (Reversed) 2.wav", "Speech (Reversed) 3.wav", "Speech (Reversed).wav", "Speech.wav"])
        // Under a name, in another format, and back.
        _ = try await run("reverse-audio", [path, "\(sounds)/out.flac"], in: session)
        XCTAssertEqual(try content("\(sounds)/out.flac").prefix(4), Data("fLaC".utf8))
        _ = try await run("reverse-audio", ["\(sounds)/out.flac", "\(sounds)/back.wav"], in: session)
        XCTAssertEqual(try content("\(sounds)/back.wav"), before)
        try await fails(
            "reverse-audio", [path, "\(sounds)/back.wav"],
            "is there already; name another file, or replace it with --force.", in: session)
        _ = try await run("reverse-audio", [path, "\(sounds)/back.wav", "--force"], in: session)
        XCTAssertEqual(try content("\(sounds)/back.wav"), try content("\(sounds)/Speech (Reversed).wav"))
        // Two files beside each.
        let second = try writeSound("Second.wav")
        _ = try await run("reverse-audio", ["--beside", path, second], in: session)
        XCTAssertTrue(try names(in: sounds).contains("Second (Reversed).wav"))
        // One that fails does not keep the others from it.
        let third = try writeSound("Third.wav")
        let some = try start("reverse-audio", ["--beside", path, "\(sounds)/none.wav", third], at: session.environment)
        let ending = try await some.waitForEnd()
        XCTAssertEqual(ending, .exited(1))
        XCTAssertTrue(some.errors.text.contains("none.wav\" cannot be read"), some.errors.text)
        XCTAssertTrue(
            some.errors.text.hasSuffix("1 of 3 files have no result; see the sentences above."), some.errors.text)
        XCTAssertTrue(try names(in: sounds).contains("Third (Reversed).wav"))
        XCTAssertEqual(try content(path), before)
        try await assertNothingTemporary()
    }

    func testBadInput() async throws {
        let session = try await actionSession()
        let path = try writeSound()
        let text = "\(sounds)/text.wav"
        try "RIFF".write(toFile: text, atomically: true, encoding: .utf8)
        let empty = "\(sounds)/empty.wav"
        try Data().write(to: URL(fileURLWithPath: empty))
        let files = try names(in: sounds)
        for (arguments, words, status) in [
            ([], "No sound file is named; see reverse-audio --help.", 64),
            (["--nonsense"], "Unknown option --nonsense; see", 64),
            (["--install", "extra"], "--install takes no files, and \"extra\" is named; see", 64),
            (["--install", "--uninstall"], "--install and --uninstall exclude each other", 64),
            (["--force", path], "--force is for a result whose name is given", 64),
            ([path, path, path], "reads one file and writes one, and 3 are named; use --beside", 64),
            ([""], "The name of the file is empty", 1),
            (["\(sounds)/missing.wav"], "cannot be read (No such file or directory); check its name", 1),
            ([sounds], "is not a file; name a sound file.", 1),
            ([text], "text.wav is no sound file that can be read", 1),
            ([empty], "empty.wav is empty", 1),
            ([path, path, "--force"], "is the file that is read, which an action never changes", 1),
            ([path, "\(sounds)/out.xyz"], "can be written as \"xyz\"; end the name in .wav", 1),
            ([path, "\(sounds)/out"], "has no extension, which says its format; end it in .wav.", 1),
            ([path, sounds], "is not a file; name one that is, or a new one.", 1),
            ([path, "\(sounds)/none/out.wav"], "(No such file or directory); name a folder that is there.", 1),
            ([path, "/proc/out.wav"], "No file can be written in \"/proc\"", 1),
            ([path, "/dev/full"], "is not a file; name one that is", 1),
        ] as [([String], String, Int32)] {
            try await fails("reverse-audio", arguments, words, status: status, in: session)
            XCTAssertEqual(try names(in: sounds), files, "\(arguments)")
        }
        for (arguments, words, status) in [
            (
                ["--target", "loud", path],
                "--target takes -70 to 0 LUFS, not \"loud\"; see normalize-loudness --help.", 64
            ),
            (["--target=1", path], "--target takes -70 to 0 LUFS, not \"1\"; see", 64),
            (["--target", "nan", path], "--target takes -70 to 0 LUFS", 64),
            (["--target"], "Missing argument for --target", 64),
            ([path], "is shorter than 0.4 seconds, so it has no loudness", 1),
        ] as [([String], String, Int32)] {
            try await fails("normalize-loudness", arguments, words, status: status, in: session)
            XCTAssertEqual(try names(in: sounds), files, "\(arguments)")
        }
        try await assertNothingTemporary()
    }

    func testNoRoom() async throws {
        let session = try await actionSession()
        let path = try writeSound(frameCount: 100_000)
        let files = try names(in: sounds)
        // A file may not become longer than 100 blocks of 1024 bytes.
        let process = try start(
            "reverse-audio", [path], at: session.environment,
            through: ["bash", "-c", "ulimit -f 100; trap '' XFSZ; exec \"$@\"", "bash"])
        try await assertOneSentence(
            process, from: "reverse-audio", status: 1, saying: "would be larger than a file may be here")
        XCTAssertEqual(try names(in: sounds), files)
        try await assertNothingTemporary()
    }

    /// A file system of its own, which only the superuser may mount.
    func testAFullDiskAndAReadOnlyOne() async throws {
        let session = try await actionSession()
        let probe = try ChildProcess("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"])
        let mounted = try await probe.waitForEnd()
        try XCTSkipIf(mounted != .exited(0), "this user may not mount")
        let path = try writeSound(frameCount: 30_000)
        let disk = "\(folder)/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        for (options, words) in [("size=150k", "The disk is full"), ("ro", "Read-only file system")] {
            let process = try start(
                "reverse-audio", [path, "\(disk)/out.wav"], at: session.environment,
                through: [
                    "unshare", "-m", "bash", "-c",
                    "mount -t tmpfs -o size=150k none \(disk) && head -c 100000 \(path) > \(disk)/in.wav && mount -o remount,\(options) \(disk) "
                        + "&& \"$@\"; status=$?; ls -A \(disk); exit $status", "bash",
                ])
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(1))
            XCTAssertTrue(process.errors.text.contains(words), process.errors.text)
            XCTAssertEqual(process.errors.lines.count, 1)
            XCTAssertEqual(process.output.text, "in.wav")
        }
        try await assertNothingTemporary()
    }

    func testHelp() async throws {
        let session = try await actionSession()
        let help = try await run("normalize-loudness", ["--help"], in: session).output.text
        for words in [
            "normalize-loudness [OPTION…] IN [OUT]", "--target=NUMBER", "Loudness: -70 to 0 LUFS; -16 unless given",
            "--install", "--beside",
        ] { XCTAssertTrue(help.contains(words), help) }
        XCTAssertFalse(help.contains("pipebus-service"))
    }

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

    /// A result may be read by nobody who may not read the input, and a link stays one.
    func testPermissionsAndLinks() async throws {
        let session = try await actionSession()
        try await installHost("One", in: session)
        let path = try writeSound()
        _ = unsafe chmod(path, 0o600)
        func mode(_ name: String) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(sounds)/\(name)")
            return try XCTUnwrap(attributes[.posixPermissions] as? Int)
        }
        _ = try await run("reverse-audio", [path], in: session)
        XCTAssertEqual(try mode("Speech (Reversed).wav"), 0o600)
        _ = try await run("pipebus", ["action", "run", "Test One", path], in: session)
        XCTAssertEqual(try mode("Speech (Tested).wav"), 0o600)
        try FileManager.default.createSymbolicLink(
            atPath: "\(sounds)/link.wav", withDestinationPath: "\(sounds)/Speech (Tested).wav")
        _ = try await run("reverse-audio", [path, "\(sounds)/link.wav", "--force"], in: session)
        XCTAssertEqual(try content("\(sounds)/Speech (Tested).wav"), try content("\(sounds)/Speech (Reversed).wav"))
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: "\(sounds)/link.wav")
        XCTAssertEqual(target, "\(sounds)/Speech (Tested).wav")
    }

    /// Parameters of all kinds on the command line.
    func testParameters() async throws {
        let session = try await actionSession()
        let path = try writeSound()
        let help = try await run("action-host", ["--help"], in: session).output.text
        for words in ["--gain=NUMBER", "Gain: all of it: -24 to 24 dB; 0 unless given", "--mode=WORD", "--loud  "] {
            XCTAssertTrue(help.contains(words), "\(words): \(help)")
        }
        _ = try await run("action-host", [path, "--loud", "--gain=-6", "--mode", "copy"], in: session)
        XCTAssertTrue(try names(in: sounds).contains("Speech (Tested).wav"))
        for (arguments, words) in [
            (["--loud", "--no-loud", path], "--loud and --no-loud exclude each other"),
            (["--mode", "well", path], "--mode takes one of copy, fail,"),
        ] { try await fails("action-host", arguments, words, status: 64, in: session) }
        try await installHost("Several", in: session)
        let several = try start(
            "action-host", [path, "\(sounds)/Speech (Tested).wav"], at: session.environment,
            adding: ["ACTION_HOST": "Several"])
        try await assertOneSentence(
            several, from: "action-host", status: 1,
            saying: "the last name is that of the result; name a new file, or use --beside.")
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
