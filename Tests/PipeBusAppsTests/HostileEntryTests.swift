import CGIO
// SPDX-License-Identifier: MIT
import DesktopSupport
import Foundation
import Glibc
import PipeBus
import SeededRandom
import XCTest

@testable import PipeBusApps

/// Folders and entries that mean harm: nothing crashes, nothing waits for ever, and nothing of anybody else's is lost.
final class HostileEntryTests: AppsTestCase {
    private static let id = "org.pipebus.test.Hostile"
    private static let file = id + ".desktop"
    private var path: String { "\(Self.userFolder)/\(Self.file)" }

    private let registration = AppRegistration(
        id: id, name: "Hostile",
        ports: [.sender("out", title: "A; B"), .filter("fx", inputs: .mono, outputs: .stereo)],
        program: "/bin/true")

    private func put(_ bytes: [UInt8], _ name: String = file) throws {
        try Data(bytes).write(to: URL(filePath: "\(Self.userFolder)/\(name)"))
    }

    private func bytes() -> [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }

    // MARK: Entries

    /// The lines of an entry, read by hand.
    ///
    /// - Parameter isOurs: which keys are left out.
    private func lines(_ bytes: [UInt8], without isOurs: (String) -> Bool) -> [[UInt8]] {
        var group = ""
        return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init).filter {
            let line = String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            if line.hasPrefix("[") { group = String(line.dropFirst().prefix { $0 != "]" }) }
            guard group == EntryKey.group, let equals = line.firstIndex(of: "=") else { return true }
            return !isOurs(line[..<equals].trimmingCharacters(in: .whitespaces))
        }
    }

    /// All lines of others are there, as they were.
    private func assertKept(_ before: [UInt8], _ round: String, without isOurs: (String) -> Bool) throws {
        let after = try XCTUnwrap(bytes(), round)
        let (old, new) = (lines(before, without: isOurs), lines(after, without: isOurs))
        // A file without the group has it from now on.
        let heading = [Array("[\(EntryKey.group)]".utf8), []]
        XCTAssertTrue(new == old || new == (old.last == [] ? Array(old.dropLast()) : old) + heading, "\(round): \(new)")
    }

    func testNothingOfADamagedEntryIsLost() throws {
        let ours: Set = [EntryKey.implements, EntryKey.ports]
        var counts: [String: Int] = [:]
        for seed in 1...6 {
            var mutation = EntryMutation(seed: UInt64(seed))
            for round in 0..<300 {
                let before = mutation.next()
                let name = "seed \(seed), round \(round)"
                try put(before)
                // For any entry: it is listed or not, in any case with texts that can be shown.
                if let app = InstalledApp(id: Self.id, entryAt: path) {
                    counts["listed", default: 0] += 1
                    XCTAssertTrue(EntryText.isShown(app.name), name)
                    for port in app.ports { XCTAssertNoThrow(try port.check(), name) }
                }
                do {
                    let isGenerated =
                        try KeyFile(bytes: before).string(EntryKey.isGenerated, in: EntryKey.group) == "true"
                    guard case .written = try registration.register() else { return XCTFail(name) }
                    let keys = try KeyFile(bytes: try XCTUnwrap(bytes()))
                    let texts = keys.list(EntryKey.ports, in: EntryKey.group)
                    XCTAssertEqual(texts.compactMap { AppPort(text: $0) }, registration.ports, name)
                    XCTAssertTrue(keys.list(EntryKey.implements, in: EntryKey.group).contains(EntryKey.interface), name)
                    XCTAssertEqual(try registration.register(), .unchanged(path: path), name)
                    if isGenerated {
                        counts["ours", default: 0] += 1
                        XCTAssertTrue(try AppRegistration.unregister(Self.id), name)
                        XCTAssertNil(bytes(), name)
                    } else {
                        counts["changed", default: 0] += 1
                        try assertKept(before, name) { ours.contains($0) }
                        XCTAssertTrue(try AppRegistration.unregister(Self.id), name)
                        try assertKept(before, name) { ours.contains($0) }
                        XCTAssertFalse(try AppRegistration.unregister(Self.id), name)
                    }
                } catch let error as PipeBusError {
                    counts["refused", default: 0] += 1
                    XCTAssertEqual(error.code, .invalidArgument, name)
                    XCTAssertEqual(bytes(), before, "\(name): a refused entry was changed")
                    XCTAssertThrowsError(try AppRegistration.unregister(Self.id), name)
                    XCTAssertEqual(bytes(), before, name)
                } catch {
                    // GLib's own reason, for an entry that is none.
                    XCTAssertThrowsError(try registration.register(), name)
                    XCTAssertEqual(bytes(), before, name)
                    counts["refused", default: 0] += 1
                }
                try? FileManager.default.removeItem(atPath: path)
            }
        }
        XCTAssertEqual(try names(), [], "a temporary file is left")
        for kind in ["listed", "ours", "changed", "refused"] {
            XCTAssertGreaterThan(counts[kind] ?? 0, 10, "the damage is of one kind: \(counts)")
        }
    }

    func testAnEntryOfSomebodyElseIsAsBefore() throws {
        for entry in [
            "# Mine\n[Desktop Entry]\n  Type=Application\nName=A\r\n\n\n[Desktop Action New]\nName=B\n\n[Desktop Entry]\nExec = a\n",
            "[Desktop Entry]\nName=A\\s", "[Desktop Entry]\nName=A\n\n[Other]\n",
        ] {
            try put(Array(entry.utf8))
            XCTAssertEqual(unsafe chmod(path, 0o600), 0)
            for _ in 0..<3 {
                try registration.register()
                XCTAssertEqual(try registration.register(), .unchanged(path: path))
                XCTAssertTrue(try AppRegistration.unregister(Self.id))
                XCTAssertEqual(String(decoding: try XCTUnwrap(bytes()), as: UTF8.self), entry)
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            XCTAssertEqual(mode, 0o600)
        }
    }

    func testAKeyIsTakenBackHoweverOftenItIsThere() throws {
        let entry =
            "[Desktop Entry]\nType=Application\nX-PipeBus-Ports=a:sender:1\nName=A\r\r\nX-PipeBus-Ports=b:sender:1\n"
            + "[Other]\nX-PipeBus-Ports=theirs\n[Desktop Entry]\nX-PipeBus-Ports=c:sender:1\nX-Mine=\n"
        try put(Array(entry.utf8))
        XCTAssertTrue(try AppRegistration.unregister(Self.id))
        let text = String(decoding: try XCTUnwrap(bytes()), as: UTF8.self)
        XCTAssertEqual(text.components(separatedBy: "X-PipeBus-Ports").count, 2, text)
        XCTAssertTrue(text.contains("X-PipeBus-Ports=theirs"), text)
        for line in ["Type=Application", "Name=A", "X-Mine="] { XCTAssertTrue(text.contains(line), text) }
        XCTAssertFalse(try AppRegistration.unregister(Self.id))
    }

    func testNothingOfAnEntryReachesAShell() throws {
        let words = [
            "$(reboot)", "`reboot`", "a;b", "%U", "x\\y", "\"", "'", "&&", "|", ">", "~", "*", " ", "\\\"", "%%",
        ]
        var random = SeededGenerator(seed: 7)
        for round in 0..<300 {
            let arguments = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                (0..<Int.random(in: 0...4, using: &random)).map { _ in words.randomElement(using: &random)! }.joined()
            }
            var other = registration
            other.arguments = arguments
            try other.register()
            let keys = try KeyFile(bytes: try XCTUnwrap(bytes()))
            let line = try XCTUnwrap(keys.string(EntryKey.exec, in: EntryKey.group))
            XCTAssertEqual(try split(line), ["/bin/true"] + arguments, "round \(round)")
        }
    }

    /// The words of a command line, as GLib splits it before it starts the program.
    private func split(_ line: String) throws -> [String] {
        var count: CInt = 0
        var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        guard unsafe g_shell_parse_argv(line, &count, &words, nil) != 0, let words = unsafe words else {
            throw PipeBusError(.invalidArgument, "no command line: \(line)")
        }
        defer { unsafe g_strfreev(words) }
        return (0..<Int(count)).map { unsafe String(cString: words[$0]!).replacing("%%", with: "%") }
    }

    // MARK: Files that are none

    func testWhatIsNoFileStaysAndHoldsUpNobody() throws {
        let outside = "\(Self.userFolder)/../outside"
        try "secret".write(toFile: outside, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: outside) }
        func made(_ make: () throws -> Void, _ what: String) throws {
            try make()
            var before = stat()
            XCTAssertEqual(unsafe lstat(path, &before), 0, what)
            XCTAssertNil(InstalledApp(id: Self.id, entryAt: path), what)
            XCTAssertEqual(AppDirectory.apps, [], what)
            XCTAssertEqual(try registration.register(), .packaged(path: path), what)
            XCTAssertFalse(try AppRegistration.unregister(Self.id), what)
            var after = stat()
            XCTAssertEqual(unsafe lstat(path, &after), 0, what)
            XCTAssertEqual(before.st_ino, after.st_ino, what)
            XCTAssertEqual(try names(), [Self.file], what)
            try FileManager.default.removeItem(atPath: path)
        }
        func link(_ target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        }
        try made({ XCTAssertEqual(unsafe mkfifo(self.path, 0o600), 0) }, "a pipe")
        try made(
            { try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: false) },
            "a folder")
        try made({ try link("/dev/zero") }, "a link to a device without end")
        try made({ try link(Self.file) }, "a link to itself")
        try made({ try link("../outside") }, "a link to another file")
        try made({ try link("/not/there") }, "a link to nothing")
        XCTAssertEqual(try String(contentsOfFile: outside, encoding: .utf8), "secret")
    }

    func testLoopsOfFoldersEnd() throws {
        let folder = Self.userFolder
        try put(
            Array(
                "[Desktop Entry]\nType=Application\nName=A\nExec=true\nImplements=org.pipebus.Port1;\nX-PipeBus-Ports=a:sender:1\n"
                    .utf8), "org.example.a.desktop")
        // Each of these doubles what a search that follows links has to look at, at every step.
        for name in ["one", "two", "three"] {
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: ".")
        }
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/up", withDestinationPath: "..")
        // A folder is a part of the id.
        try FileManager.default.createDirectory(atPath: "\(folder)/org.example", withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            atPath: "\(folder)/org.example.a.desktop", toPath: "\(folder)/org.example/b.desktop")
        XCTAssertEqual(AppDirectory.apps.map(\.id), ["org.example-b", "org.example.a"])
        // Deeper than any entry is.
        var deep = folder
        for _ in 0..<40 {
            deep += "/d"
            try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: false)
        }
        XCTAssertEqual(AppDirectory.apps.count, 2)
    }

    /// An entry is started by GIO, whose search such a folder holds up for ever, with the thread of the loop.
    func testNothingIsStartedWhereGIOWouldSearchForEver() async throws {
        let folder = Self.userFolder
        try registration.register()
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/one", withDestinationPath: ".")
        XCTAssertNil(EntryScan.endlessLink(in: EntryFolders.all), "the search of GIO ends")
        let started = try await StartedProgram.start(entryAt: path, environment: [:])
        for await end in started.end { XCTAssertEqual(end, .exited(0)) }
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/two", withDestinationPath: ".")
        do {
            _ = try await StartedProgram.start(entryAt: path, environment: [:])
            XCTFail("started")
        } catch let error as GLibError {
            XCTAssertEqual(
                error.message, "the folder of desktop entries \"\(folder)/one\" contains itself; remove that link")
        }
        // Links to one folder that is not on their way are no loop.
        for name in ["one", "two"] { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        try FileManager.default.createDirectory(atPath: "\(folder)/real", withIntermediateDirectories: false)
        for name in ["one", "two"] {
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: "real")
        }
        XCTAssertNil(EntryScan.endlessLink(in: EntryFolders.all))
    }

    func testManyAndLargeEntriesAreBounded() throws {
        let head = "[Desktop Entry]\nType=Application\nName=A\nExec=true\nImplements=org.pipebus.Port1;\n"
        let ports = (0..<9000).map { "p\($0):sender:1" }.joined(separator: ";")
        try put(Array((head + "X-PipeBus-Ports=\(ports)\n").utf8), "org.example.many.desktop")
        try put(
            Array((head + "X-PipeBus-Ports=a:sender:1;\nX-Long=" + String(repeating: "x", count: 1 << 20)).utf8),
            "org.example.long.desktop")
        try put(
            Array((head + "X-PipeBus-Ports=a:sender:1;\n" + (0..<20_000).map { "K\($0)=x\n" }.joined()).utf8),
            "org.example.keys.desktop")
        try put(Array((head + "X-PipeBus-Ports=a:sender:1;\nX-A=b\0c\n").utf8), "org.example.nul.desktop")
        let apps = AppDirectory.apps
        XCTAssertEqual(apps.map(\.id), ["org.example.keys", "org.example.many"])
        XCTAssertEqual(apps[1].ports.count, AppPort.largestCount)
    }

    /// The user's entry hides that of a package, whatever it is.
    func testAHiddenEntryHidesThePackagedOne() throws {
        let entry =
            "[Desktop Entry]\nType=Application\nName=A\nExec=true\nImplements=org.pipebus.Port1;\nX-PipeBus-Ports=a:sender:1\n"
        try put(entry, Self.file, in: Self.packagedFolder)
        XCTAssertEqual(AppDirectory.apps.map(\.id), [Self.id])
        for own in [entry + "Hidden=true\n", "no entry"] {
            try put(Array(own.utf8))
            XCTAssertEqual(AppDirectory.apps, [])
        }
    }
}
