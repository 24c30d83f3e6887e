// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// A host that asks an action for what it should not (Tests/Protocols/hostile_host.py). The action refuses with a sentence, and goes on serving.
final class ActionAbuseTests: ActionTestCase {
    private static let script = URL(fileURLWithPath: #filePath)
        .appending(path: "../../Protocols/hostile_host.py").standardizedFileURL.path

    /// What a command of the script prints.
    private func host(
        _ arguments: [String], kind: String = "One", in session: DesktopSession, line: UInt = #line
    ) async throws -> [String] {
        let process = try start(
            "/usr/bin/python3", [Self.script] + arguments, at: session.environment, adding: ["ACTION": kind])
        let ending = try await process.waitForEnd(within: .seconds(120))
        XCTAssertEqual(ending, .exited(0), process.errors.text, line: line)
        return process.output.lines
    }

    /// An ordinary request is served, and nothing is left of the others.
    private func assertServes(_ kind: String = "One", in session: DesktopSession, line: UInt = #line) async throws {
        let lines = try await host(["copy", try writeSound()], kind: kind, in: session, line: line)
        XCTAssertEqual(lines, ["response 0 1"], line: line)
        try await assertNothingOpen(line: line)
        try await assertNothingTemporary(line: line)
    }

    /// Waits until no process of the action has a temporary file. One without a name is in no folder.
    private func assertNothingOpen(line: UInt = #line) async throws {
        try await eventually("no temporary file") { Self.hosts(of: self.folder).allSatisfy { self.files(of: $0) == 0 } }
    }

    /// How many temporary files a process has open.
    private func files(of process: Int32) -> Int {
        let folder = "/proc/\(process)/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let targets = numbers.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        return targets.filter { $0.hasPrefix(temporary) }.count
    }

    private static let refused = "refused GDBus.Error:org.pipebus.Error.InvalidArgument: "
    private static let unreadable = refused + "\"Speech.wav\" is not a file that can be read; give an open sound file."
    private static let noFile = refused + "A file of the request has no descriptor, name and type."
    private static let wrongToken =
        refused + "The handle_token has other characters than letters, digits and underscores."
    private static let otherBody = "refused GDBus.Error:org.freedesktop.DBus.Error.InvalidArgs: "
    private static let modes = "\"mode\" takes one of copy, fail, throw, crash, exit, hang, stop, slow, none, join, two"

    /// The requests of the script, and how the answers begin.
    private static let answers: KeyValuePairs = [
        "no files": refused + "Test One takes exactly one sound, not 0.",
        "text": refused + "Test One takes exactly one sound, not 0.",
        "text as a sound": "response 2 0 Speech.wav is no sound file that can be read",
        "empty as a sound": "response 2 0 Speech.wav is empty;",
        "folder": unreadable, "pipe": unreadable, "writer of a pipe": unreadable, "socket": unreadable,
        "device": unreadable, "memory of a process": "response 2 0 Speech.wav is empty;", "path only": unreadable,
        "only written": unreadable,
        "place 1 of 1": noFile, "place -1": noFile, "place of none": noFile, "one of two missing": noFile,
        "two files": refused + "Test One takes exactly one sound, not 2.",
        "two files, one of them text": "response 0 1", "odd name": "response 0 1", "no name": "response 0 1",
        "odd type": "response 0 1",
        "number as text": refused + "\"gain\" takes -24 to 24 dB, not \"3\".",
        "number as a list": refused + "\"gain\" takes -24 to 24 dB; give such a value.",
        "number as a whole one": "response 0 1",
        "choice as number": refused + modes + ", not 7.",
        "choice as file": refused + modes + "; give such a value.",
        "flag as text": refused + "\"loud\" takes true or false, not \"yes\".",
        "too high": refused + "\"gain\" takes -24 to 24 dB, not 24.5.",
        "infinite": refused + "\"gain\" takes -24 to 24 dB, not -inf.",
        "no number": refused + "\"gain\" takes -24 to 24 dB, not nan.",
        "other word": refused + modes + ", not \"nonsense\u{FFFD}[2Jxxx",
        "unknown parameters": "response 0 1", "unknown options": "response 0 1",
        "deep parameter": refused + "\"gain\" takes -24 to 24 dB; give such a value.",
        "10 000 files": refused + "More than 16 files are too many; give fewer at once.",
        "16 files": refused + "Test One takes exactly one sound, not 16.",
        "slashes": wrongToken, "no token": wrongToken, "long token": wrongToken, "token as number": "response 0 1",
        "other body": otherBody, "no body": otherBody,
        // The bus itself closes the connection of a host that sends more descriptors than it takes.
        "16 descriptors": "response 0 1", "17 descriptors": "refused The connection is closed",
        "200 descriptors": "refused The connection is closed",
        "afterwards": "response 0 1", "held": "cancelled, response 1 0", "process": "the same",
    ]

    func testWrongCalls() async throws {
        let session = try await actionSession()
        try await installHost("One", in: session)
        let path = try writeSound()
        let before = try content(path)
        let lines = try await host(["calls", path, folder], in: session)
        XCTAssertEqual(lines.count, Self.answers.count, "\(lines)")
        for (name, answer) in Self.answers {
            XCTAssertTrue(
                lines.contains { $0.hasPrefix("\(name): \(answer)") },
                "\(name): \(lines.filter { $0.hasPrefix(name) })")
        }
        XCTAssertTrue(lines.allSatisfy { $0.utf8.count < 1200 }, "\(lines)")
        XCTAssertEqual(try content(path), before)
        try await assertServes(in: session)
    }

    /// A message of D-Bus has at most 16 descriptors. With more the bus closes the connection, and all that goes over it ends.
    func testMoreFilesThanAMessageHas() async throws {
        let session = try await actionSession()
        try await installHost("Several", in: session)
        let paths = try (1...17).map { try writeSound("\($0).wav", frameCount: 100) }
        let most = try await call(["Several"], mode: "copy", on: Array(paths.dropLast()), in: session)
        XCTAssertEqual(most.filter { $0.hasPrefix("result") }.count, 16, "\(most)")
        XCTAssertEqual(most.last, "completed")
        let more = try await call(["Several"], mode: "copy", on: paths, in: session)
        XCTAssertEqual(
            more.last, "failed notAccepted Test Several takes at most 16 files at once, not 17; name fewer.")
        let results = try await call(["Several"], mode: "two", on: Array(paths.prefix(9)), in: session)
        XCTAssertEqual(
            results.last,
            "failed refused Test Several: It has made 18 files, and D-Bus takes at most 16; give it fewer, or run it in a shell."
        )
        try await assertServes("Several", in: session)
    }

    func testTokensAndStrangers() async throws {
        let session = try await actionSession()
        try await installHost("One", in: session)
        let lines = try await host(["tokens", try writeSound()], in: session)
        XCTAssertEqual(
            lines,
            [
                "path: as said",
                "again: GDBus.Error:org.pipebus.Error.InvalidArgument: There is a request with this handle_token; use another one.",
                "stranger: refused GDBus.Error:org.pipebus.Error.AccessDenied: This request is another app's.",
                "first: goes on", "own: cancelled, response 1 0", "theirs: cancelled, response 1 0", "strays: 0",
            ])
        try await assertServes(in: session)
    }

    /// Makes a WAV file of noise longer, by silence that takes no room on the disk.
    private func lengthen(_ path: String, to size: UInt32) throws -> String {
        let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: path))
        for (place, number) in [(4, size + 36), (40, size)] as [(UInt64, UInt32)] {
            try file.seek(toOffset: place)
            try file.write(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
        }
        try file.truncate(atOffset: UInt64(size) + 44)
        try file.close()
        return path
    }

    func testACallerThatLeaves() async throws {
        let session = try await actionSession()
        try await installHost("One", in: session)
        // So long that it is not done within the bound of the wait unless it is cancelled.
        let path = try lengthen(try writeSound("Long.wav"), to: 2_000_000_000)
        for _ in 0..<3 {
            let lines = try await host(["leave", path], in: session)
            XCTAssertEqual(lines, ["begun"])
        }
        let process = try XCTUnwrap(Self.hosts(of: folder).first)
        try await eventually("the end of all requests") {
            try await self.host(["objects"], in: session) == ["0"]
        }
        XCTAssertEqual(files(of: process), 0)
        try await assertServes(in: session)
        XCTAssertEqual(Self.hosts(of: folder), [process])
    }

    func testTooManyAtOnce() async throws {
        let session = try await actionSession()
        try await installHost("One", in: session)
        let path = try writeSound()
        let flood = try await host(["flood", path, "200"], in: session)
        XCTAssertEqual(
            flood,
            [
                "refused: 136 GDBus.Error:org.pipebus.Error.InvalidArgument: Test One has too much to do; try again later.",
                "begun: 64", "ended: 64",
            ])
        // Those that end make room for others. Each is refused with a sentence, or served.
        let burst = try await host(["burst", path, "200"], in: session)
        let begun = try XCTUnwrap(burst.dropFirst().first.flatMap { Int($0.dropFirst("begun: ".count)) })
        XCTAssertGreaterThanOrEqual(begun, 64)
        XCTAssertTrue(burst[0].hasPrefix("refused: \(200 - begun) "), "\(burst)")
        XCTAssertEqual(burst.last, "done: \(begun)")
        try await assertServes(in: session)
    }

    /// Requests that together have more descriptors than a process may have.
    func testAHoardOfDescriptors() async throws {
        let session = try await actionSession()
        try await installHost("Several", in: session)
        let service = "\(folder)/data/dbus-1/services/org.pipebus.test.Several.service"
        let text = try String(contentsOfFile: service, encoding: .utf8)
        try text.replacingOccurrences(of: "Exec=", with: "Exec=/usr/bin/prlimit --nofile=512 ").write(
            toFile: service, atomically: true, encoding: .utf8)
        try await reloadBus(in: session)
        let path = try writeSound()
        let lines = try await host(["hoard", path, "200"], kind: "Several", in: session)
        let begun = try XCTUnwrap(lines.last.flatMap { Int($0.dropFirst("begun: ".count)) })
        XCTAssertTrue((1..<64).contains(begun), "\(lines)")
        XCTAssertTrue(lines[0].hasPrefix("refused: \(200 - begun) "), "\(lines)")
        let sentences = lines[0].components(separatedBy: "GDBus.Error:org.pipebus.Error.InvalidArgument: ").dropFirst()
        XCTAssertTrue(
            sentences.allSatisfy {
                $0.contains("because too many files are open; try again later.") || $0.contains("has no descriptor")
            }, "\(lines)")
        let process = Self.hosts(of: folder)
        // They are cancelled, because their host is gone.
        try await eventually("the end of all requests") {
            try await self.host(["objects"], kind: "Several", in: session) == ["0"]
        }
        try await assertServes("Several", in: session)
        XCTAssertEqual(Self.hosts(of: folder), process)
    }
}
