// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTesting
import XCTest

@testable import PipeBusApps

/// What an app writes to be known before it runs, and what it leaves alone.
final class AppRegistrationTests: AppsTestCase {
    private static let id = "org.pipebus.test.Synth"
    private static let file = id + ".desktop"

    private var registration = AppRegistration(
        id: id, name: "Voice Synth", iconName: "audio-card",
        ports: [
            .sender("out", title: "Main; Out"), .receiver("voice", channels: .mono),
            .filter("fx", inputs: .mono, outputs: .stereo, title: "Echo: long"),
        ], program: "/bin/true", arguments: ["--bus", "a b", "50%", "\"$HOME\"", "c:\\d"])

    private func code(_ body: () throws -> Void) -> PipeBusError.Code? {
        do { try body() } catch { return (error as? PipeBusError)?.code }
        return nil
    }

    func testANewEntryIsOneThatTheDesktopTakes() async throws {
        guard case .written(let path) = try registration.register() else { return XCTFail("nothing was written") }
        XCTAssertEqual(path, "\(Self.userFolder)/\(Self.file)")
        XCTAssertEqual(try names(), [Self.file], "no temporary file is left")
        let validation = try run("desktop-file-validate", path)
        XCTAssertEqual(validation.status, 0, validation.output)
        XCTAssertEqual(validation.output, "")
        // It comes back as it was, whatever the characters.
        try await eventually("the app to be listed") { AppDirectory.app(Self.id) != nil }
        let app = try XCTUnwrap(AppDirectory.app(Self.id))
        XCTAssertEqual(app.name, "Voice Synth")
        XCTAssertEqual(app.iconName, "audio-card")
        XCTAssertEqual(app.ports, registration.ports)
        XCTAssertFalse(app.isDBusActivatable)
        XCTAssertEqual(app.entryPath, path)
    }

    func testTheSameAgainWritesNothing() async throws {
        let path = try registration.register().path
        var before = stat()
        XCTAssertEqual(unsafe stat(path, &before), 0)
        XCTAssertEqual(try registration.register(), .unchanged(path: path))
        var after = stat()
        XCTAssertEqual(unsafe stat(path, &after), 0)
        XCTAssertEqual(before.st_ino, after.st_ino)
        registration.ports.removeLast()
        XCTAssertEqual(try registration.register(), .written(path: path))
        try await eventually("two ports") { AppDirectory.app(Self.id)?.ports.count == 2 }
    }

    func testTheRunningProgramIsTheDefault() throws {
        let registration = AppRegistration(id: Self.id, name: "Test", ports: [.sender("out")])
        XCTAssertTrue(registration.program.hasPrefix("/"))
        XCTAssertEqual(unsafe access(registration.program, X_OK), 0)
        try registration.register()
        XCTAssertTrue(try text(Self.file).contains("NoDisplay=true"), "menus are the user's")
    }

    func testNothingElseInAnEntryIsLost() async throws {
        let other = """
            # A comment.
            [Desktop Entry]
            Type=Application
            Name=Synth
            Name[de]=Synthesizer
            Exec=true --special %U
            Implements=org.example.Other;
            X-Mine=kept
            Actions=new;

            [Desktop Action new]
            Name=New
            Exec=true --new

            """
        try put(other, Self.file)
        guard case .written = try registration.register() else { return XCTFail("nothing was written") }
        let lines = try text(Self.file).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for line in other.split(separator: "\n").map(String.init) where !line.hasPrefix("Implements") {
            XCTAssertTrue(lines.contains(line), "lost: \(line)")
        }
        XCTAssertTrue(lines.contains("Implements=org.example.Other;org.pipebus.Port1;"))
        let ports = registration.ports
        try await eventually("the ports") { AppDirectory.app(Self.id)?.ports == ports }
        XCTAssertTrue(try AppRegistration.unregister(Self.id))
        XCTAssertEqual(try text(Self.file).split(separator: "\n"), other.split(separator: "\n"))
        try await eventually("the app to be gone") { AppDirectory.app(Self.id) == nil }
        XCTAssertFalse(try AppRegistration.unregister(Self.id))
    }

    func testItsOwnEntryGoesAsAWhole() async throws {
        XCTAssertFalse(try AppRegistration.unregister(Self.id))
        try registration.register()
        XCTAssertTrue(try AppRegistration.unregister(Self.id))
        XCTAssertEqual(try names(), [])
        try await eventually("the app to be gone") { AppDirectory.app(Self.id) == nil }
    }

    func testTheServiceFileGoesWithTheRegistration() throws {
        registration.isDBusActivatable = true
        registration.arguments = ["50%", "a b"]
        let path = try registration.register().path
        XCTAssertEqual(try names(in: Self.servicesFolder), ["\(Self.id).service"])
        let service = try text("\(Self.id).service", in: Self.servicesFolder)
        XCTAssertTrue(service.contains("Name=\(Self.id)\n"), service)
        // A service file has no field codes.
        XCTAssertTrue(service.contains(" 50% \"a b\"\n"), service)
        XCTAssertTrue(try text("\(Self.id).desktop").contains("DBusActivatable=true"))
        let validation = try run("desktop-file-validate", path)
        XCTAssertEqual(validation.status, 0, validation.output)
        guard case .unchanged = try registration.register() else { return XCTFail("it was written again") }
        registration.isDBusActivatable = false
        guard case .written = try registration.register() else { return XCTFail("nothing was written") }
        XCTAssertEqual(try names(in: Self.servicesFolder), [])
        XCTAssertFalse(try text("\(Self.id).desktop").contains("DBusActivatable"))
        registration.isDBusActivatable = true
        try registration.register()
        XCTAssertTrue(try AppRegistration.unregister(Self.id))
        XCTAssertEqual(try names(in: Self.servicesFolder), [])
        // One of somebody else stays as it is.
        let other = "[D-BUS Service]\nName=\(Self.id)\nExec=/bin/true\n"
        try put(other, "\(Self.id).service", in: Self.servicesFolder)
        try registration.register()
        try AppRegistration.unregister(Self.id)
        XCTAssertEqual(try text("\(Self.id).service", in: Self.servicesFolder), other)
    }

    func testAPackagedEntryIsNeverTouched() throws {
        let packaged = "[Desktop Entry]\nType=Application\nName=Synth\nExec=true\n"
        try put(packaged, Self.file, in: Self.packagedFolder)
        let path = "\(Self.packagedFolder)/\(Self.file)"
        XCTAssertEqual(try registration.register(), .packaged(path: path))
        XCTAssertEqual(try text(Self.file, in: Self.packagedFolder), packaged)
        XCTAssertEqual(try names(), [])
        // A link in the user's folder is somebody's who packages too, also one that leads nowhere or to itself.
        try FileManager.default.removeItem(atPath: path)
        for target in ["/tmp/not-there.desktop", Self.file] {
            let link = "\(Self.userFolder)/\(Self.file)"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            XCTAssertEqual(try registration.register(), .packaged(path: link))
            XCTAssertFalse(try AppRegistration.unregister(Self.id))
            XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), target)
            try FileManager.default.removeItem(atPath: link)
        }
    }

    func testBadValuesAreRefused() throws {
        let good = registration
        func refused(_ line: UInt = #line, _ change: (inout AppRegistration) -> Void) {
            registration = good
            change(&registration)
            XCTAssertEqual(code { try registration.register() }, .invalidArgument, line: line)
            XCTAssertEqual(try names(), [], line: line)
        }
        for id in ["", "synth", "org..x", "org.x/../../y", "org.x y", String(repeating: "a.", count: 200) + "b"] {
            refused { $0.id = id }
            XCTAssertEqual(code { try AppRegistration.unregister(id) }, .invalidArgument)
        }
        refused { $0.name = "" }
        refused { $0.name = "a\nExec=evil" }
        refused { $0.iconName = "\u{1B}[2J" }
        refused { $0.program = "true" }
        refused { $0.program = "/bin/a=b" }
        refused { $0.program = "/bin/true\nX=1" }
        refused { $0.arguments = ["a\nb"] }
        refused { $0.ports = [] }
        refused { $0.ports = [.sender("a"), .receiver("a")] }
        refused { $0.ports = [.sender("a:b")] }
        refused { $0.ports = [.sender("a", title: "\u{202E}x")] }
        refused { $0.ports = [.sender("a", channels: .channels(65))] }
        refused { $0.ports = (0..<65).map { .sender("out\($0)") } }
        refused { $0.program = "/nonexistent/program" }
    }

    func testAFileThatIsNoEntryStays() throws {
        for content in ["no entry at all\n", "[Desktop Entry\n", String(repeating: "x", count: 1 << 19)] {
            try put(content, Self.file)
            XCTAssertEqual(code { try registration.register() }, .invalidArgument)
            XCTAssertEqual(code { try AppRegistration.unregister(Self.id) }, .invalidArgument)
            XCTAssertEqual(try text(Self.file), content)
        }
    }

    func testAFolderThatCannotBeWritten() throws {
        guard geteuid() != 0 else { throw XCTSkip("root may write everywhere") }
        unsafe chmod(Self.userFolder, 0o500)
        XCTAssertEqual(code { try registration.register() }, .noPermission)
    }
}
