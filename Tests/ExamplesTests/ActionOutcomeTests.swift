// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Host and action as processes on a session bus: every way in which an action ends.
final class ActionOutcomeTests: ActionTestCase {
    /// The last line of what the host prints.
    private func ending(
        _ kind: String, _ mode: String, on path: String, silence: Double = 20, in session: DesktopSession
    ) async throws -> String {
        try await call([kind], mode: mode, on: [path], silence: silence, in: session).last ?? ""
    }

    func testCompleted() async throws {
        let session = try await actionSession()
        try await installHost("One", in: session)
        let path = try writeSound()
        let lines = try await call(["One"], mode: "copy", on: [path], in: session)
        XCTAssertEqual(lines.last, "completed")
        // The activation token is the suffix: it came through.
        XCTAssertEqual(try names(in: sounds), ["Speech (Token).wav", "Speech.wav"])
        XCTAssertEqual(try content("\(sounds)/Speech (Token).wav"), try content(path))
        XCTAssertEqual(lines.filter { $0.hasPrefix("progress") }.last, "progress 1.0")
        // Nothing is replaced.
        let again = try await call(["One"], mode: "copy", on: [path], in: session)
        XCTAssertEqual(again.last, "completed")
        XCTAssertEqual(try names(in: sounds), ["Speech (Token) 2.wav", "Speech (Token).wav", "Speech.wav"])
        try await assertNothingTemporary()
    }

    func testSeveralFilesAndResults() async throws {
        let session = try await actionSession()
        try await installHost("One", in: session)
        try await installHost("Several", in: session)
        let text = "\(sounds)/notes.txt"
        try "No sound.".write(toFile: text, atomically: true, encoding: .utf8)
        let (first, second) = (try writeSound("A.wav"), try writeSound("B.wav"))
        // What is no sound is ignored.
        let lines = try await call(["Several"], mode: "join", on: [first, text, second], in: session)
        XCTAssertEqual(lines.last, "completed", "\(lines)")
        XCTAssertEqual(try names(in: sounds), ["A (Token).wav", "A.wav", "B.wav", "notes.txt"])
        XCTAssertEqual(try content("\(sounds)/A (Token).wav").count, 2 * 19_200 + 44)
        let one = try await call(["One"], mode: "copy", on: [first, text], in: session)
        XCTAssertEqual(one.last, "completed", "\(one)")
        let refused = try await call(["One"], mode: "copy", on: [first, second], in: session)
        XCTAssertEqual(refused.last, "failed notAccepted Test One takes one file at a time, not 2; name one.")
        let none = try await call(["One"], mode: "copy", on: [text], in: session)
        XCTAssertEqual(
            none.last, "failed notAccepted There is no sound among the files for Test One; name a sound file.")
        let two = try await call(["One"], mode: "two", on: [second], in: session)
        XCTAssertEqual(two.filter { $0.hasPrefix("result") }.count, 2, "\(two)")
        XCTAssertTrue(try names(in: sounds).contains("B (Second).wav"))
    }

    func testFailures() async throws {
        let session = try await actionSession()
        try await installHost("One", in: session)
        let path = try writeSound()
        let before = try content(path)
        for (mode, words) in [
            ("fail", "failed refused Test One: The oven is cold; warm it."),
            ("throw", "failed refused Test One: It failed (Odd())."),
            ("crash", "failed ended Test One ended before it was done; try again, or ask its author."),
            // It has begun, and is not begun again.
            ("exit", "failed ended Test One ended before it was done; try again, or ask its author."),
            ("none", "failed refused Test One: The action has made no result; ask its author to mend it."),
        ] {
            let line = try await ending("One", mode, on: path, in: session)
            XCTAssertEqual(line, words)
        }
        let cancelled = try await ending("One", "cancel", on: path, in: session)
        XCTAssertEqual(cancelled, "cancelled")
        for mode in ["hang", "stop"] {
            let line = try await ending("One", mode, on: path, silence: 0.5, in: session)
            XCTAssertEqual(
                line, "failed timedOut Test One has shown no sign of work for 0.5 s; end its program, and try again.")
        }
        XCTAssertEqual(try content(path), before)
        XCTAssertEqual(try names(in: sounds), ["Speech.wav"])
        try await assertNothingTemporary()
    }

    func testLies() async throws {
        let session = try await actionSession()
        try await installHost("Lying", in: session)
        let path = try writeSound()
        let before = try content(path)
        for (mode, words) in [
            ("refuse", "failed refused Test Lying: not today\u{FFFD}nor \u{FFFD}[31mtomorrow"),
            ("path", "failed invalidResult Test Lying did not answer in the form of an action;"),
            ("vanish", "failed ended Test Lying ended before it began; try again."),
            ("empty", "failed invalidResult Test Lying gave an empty file;"),
            ("text", "failed invalidResult Test Lying gave a file that is no sound;"),
            ("head", "failed invalidResult Test Lying gave a file that is no sound;"),
            ("folder", "failed invalidResult Test Lying gave something that is no file;"),
            ("pipe", "failed invalidResult Test Lying gave something that is no file;"),
            ("missing", "failed invalidResult Test Lying gave a result without a file;"),
            ("nothing", "failed invalidResult Test Lying gave a result without a file;"),
            ("none", "failed invalidResult Test Lying ended without a result;"),
            ("code", "failed refused Test Lying failed, and did not say why."),
            ("words", "failed refused Test Lying: x\u{FFFD}x"),
            ("shape", "failed invalidResult Test Lying did not answer in the form of an action;"),
            ("sparse", "failed unwritable No file can be written in"),
            ("many", "failed invalidResult Test Lying gave more than 16 files;"),
            ("blind", "failed invalidResult Test Lying gave a file that may not be read;"),
        ] {
            let line = try await ending("Lying", mode, on: path, in: session)
            XCTAssertTrue(line.hasPrefix(words), "\(mode): \(line)")
            XCTAssertLessThan(line.utf8.count, 1200, mode)
            XCTAssertEqual(try names(in: sounds), ["Speech.wav"], mode)
        }
        for mode in ["silent", "type"] {
            let line = try await ending("Lying", mode, on: path, silence: 0.5, in: session)
            XCTAssertTrue(line.hasPrefix("failed timedOut "), line)
        }
        XCTAssertEqual(try content(path), before)
        try await assertNothingTemporary()
    }

    func testLiesThatHaveAResult() async throws {
        let session = try await actionSession()
        try await installHost("Lying", in: session)
        let path = try writeSound()
        let progress = try await call(["Lying"], mode: "progress", on: [path], in: session)
        XCTAssertEqual(progress.last, "completed")
        let fractions = progress.compactMap { $0.hasPrefix("progress ") ? Double($0.dropFirst(9)) : nil }
        XCTAssertTrue(fractions.allSatisfy { (0...1).contains($0) }, "\(fractions)")
        // What the action writes after it has given the file is not in the result.
        let late = try await call(["Lying"], mode: "late", on: [path], in: session)
        XCTAssertEqual(late.last, "completed")
        let given = try content("\(sounds)/Result 2.wav")
        // It has a copy of the file that it is given.
        let before = try content(path)
        let reopened = try await call(["Lying"], mode: "reopen", on: [path], in: session)
        XCTAssertEqual(reopened.last, "completed")
        XCTAssertEqual(try content(path), before)
        let named = try await call(["Lying"], mode: "names", on: [path], in: session)
        XCTAssertEqual(named.last, "completed")
        XCTAssertEqual(try content("\(sounds)/Result 2.wav"), given)
        let new = Set(try names(in: sounds)).subtracting(["Speech.wav", "Result.wav", "Result 2.wav", "Result 3.wav"])
        XCTAssertEqual(new.count, 7, "\(new)")
        XCTAssertTrue(new.contains("rf.wav"), "\(new)")
        XCTAssertTrue(new.allSatisfy { !$0.hasPrefix(".") && $0.hasSuffix(".wav") && $0.utf8.count <= 255 }, "\(new)")
        XCTAssertTrue(new.contains("Speech (Tested).wav"), "\(new)")
        XCTAssertFalse(FileManager.default.fileExists(atPath: "\(folder)/../escaped.wav"))
    }

    func testAvailable() async throws {
        let session = try await actionSession()
        for kind in ["One", "Several"] { try await installHost(kind, in: session) }
        try await installHost("Asking", in: session)
        let entry = "\(folder)/packages/applications/org.pipebus.test.Asking.desktop"
        let text = try String(contentsOfFile: entry, encoding: .utf8)
        try text.replacingOccurrences(of: "audio/*", with: "audio/ogg").write(
            toFile: entry, atomically: true, encoding: .utf8)
        let (first, second) = (try writeSound("A.wav"), try writeSound("B"))
        let notes = "\(sounds)/notes.txt"
        try "No sound.".write(toFile: notes, atomically: true, encoding: .utf8)
        for (files, ids) in [
            ([first], ["One", "Several"]), ([second], ["One", "Several"]), ([first, notes], ["One", "Several"]),
            ([first, second], ["Several"]), ([notes], []), ([], []), (["type:audio/flac"], ["One", "Several"]),
            // A kind of audio/ogg, by the database of types.
            (["type:audio/x-vorbis+ogg"], ["Asking", "One", "Several"]), (["type:text/plain"], []),
            (["type:AUDIO/OGG"], ["Asking", "One", "Several"]), (["type:audio"], []), (["type:"], []),
        ] {
            let host = try start("action-caller", ["available"] + files, at: session.environment)
            try await host.waitForEnd()
            XCTAssertEqual(host.output.lines, ids.map { "org.pipebus.test.\($0)" }, "\(files) \(host.errors.text)")
        }
    }

    func testAChain() async throws {
        let session = try await actionSession()
        for kind in ["One", "Several"] { try await installHost(kind, in: session) }
        let path = try writeSound()
        let lines = try await call(["One", "Several", "One"], mode: "copy", on: [path], in: session)
        XCTAssertEqual(lines.last, "completed", "\(lines)")
        XCTAssertEqual(try names(in: sounds), ["Speech (Token) (Tested) (Tested).wav", "Speech.wav"])
        XCTAssertEqual(try content("\(sounds)/Speech (Token) (Tested) (Tested).wav"), try content(path))
        let fractions = lines.compactMap { $0.hasPrefix("progress ") ? Double($0.dropFirst(9)) : nil }
        XCTAssertEqual(fractions, Set(fractions).sorted(), "each once, and none after a larger one")
        // Two results are too many for the next action, which takes one.
        let broken = try await call(["One", "One"], mode: "two", on: [path], in: session)
        XCTAssertEqual(broken.last, "failed notAccepted Test One takes one file at a time, not 2; name one.")
    }

    /// An interactive action waits for its user as long as it is there, and is cancelled by the host.
    func testInteractive() async throws {
        let session = try await actionSession()
        try await installHost("Asking", in: session)
        let path = try writeSound()
        let host = try start(
            "pipebus", ["action", "run", "Test Asking", path, "--set", "mode=hang", "--patience", "0.2"],
            at: session.environment)
        try await eventually("the action") { !Self.hosts(of: self.folder).isEmpty }
        // Far longer than its patience: as long as another action takes from its start to its end.
        try await installHost("One", in: session)
        for _ in 0..<3 {
            let other = try await ending("One", "copy", on: path, in: session)
            XCTAssertEqual(other, "completed")
        }
        XCTAssertNil(host.ending)
        host.signal(SIGINT)
        let ending = try await host.waitForEnd()
        XCTAssertEqual(ending, .exited(128 + SIGINT), host.errors.text)
        // One that ends is seen at once.
        let crashed = try await self.ending("Asking", "crash", on: path, in: session)
        XCTAssertEqual(crashed, "failed ended Test Asking ended before it was done; try again, or ask its author.")
    }

    /// A hanging action is not waited for: another caller is served meanwhile by the same process.
    func testTwoAtOnce() async throws {
        let session = try await actionSession()
        try await installHost("One", in: session)
        let path = try writeSound()
        let hanging = try start(
            "action-caller", ["run", "org.pipebus.test.One", "slow", sounds, "20", path], at: session.environment)
        _ = try await hanging.nextLine()
        let ending = try await ending("One", "copy", on: path, in: session)
        XCTAssertEqual(ending, "completed")
        XCTAssertNil(hanging.ending)
    }
}
