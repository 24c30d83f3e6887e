// SPDX-License-Identifier: MIT
import Foundation
import PipeBusActions
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The example actions as plain commands.
final class ActionCommandTests: ActionTestCase {
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

    /// A result whose format ends at full scale says what it has lost.
    func testClipping() async throws {
        let session = try await actionSession()
        try await installHost("One", in: session)
        let path = "\(sounds)/loud.wav"
        let descriptor = unsafe open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        let output = try SoundOutput(
            descriptor: descriptor, name: path, format: SoundFormat(.wav, .float32), channelCount: 1, sampleRate: 48_000
        )
        try output.write(SoundBlock(samples: [0.5, 1.5, -1, 1, -1.25, .infinity, .nan], channelCount: 1))
        try output.finish()
        let words = "3 samples are clipped at 0 dBFS, where this format ends."
        for (tool, arguments, name) in [
            ("reverse-audio", [path, "\(sounds)/plain.flac"], "plain.flac"),
            ("pipebus", ["action", "run", "Test One", path, "-o", "\(sounds)/over.flac"], "loud (Tested).flac"),
        ] {
            let process = try await run(tool, arguments, in: session)
            XCTAssertEqual(process.errors.text, "\(tool): \(name): \(words)")
        }
        let whole = try await run("reverse-audio", [path, "\(sounds)/whole.wav"], in: session)
        XCTAssertEqual(whole.errors.text, "")
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
}
