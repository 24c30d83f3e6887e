// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTesting
import SeededRandom
import Synchronization
import XCTest

@testable import PipeBusApps

/// The apps that are installed, from entries that any program may have written.
final class AppDirectoryTests: AppsTestCase {
    private func entry(_ ports: String, name: String = "App", more: String = "") -> String {
        "[Desktop Entry]\nType=Application\nName=\(name)\nExec=true\nImplements=org.pipebus.Port1;\n"
            + "X-PipeBus-Ports=\(ports)\n\(more)"
    }

    /// The apps, once they are those of these ids.
    private func list(_ ids: [String]) async throws -> [InstalledApp] {
        try await eventually("apps \(ids)") { Set(AppDirectory.apps.map(\.id)) == Set(ids) }
        return AppDirectory.apps
    }

    func testAppsOfTheUserAndOfPackagesAreListedByName() async throws {
        try put(entry("out:sender:2:Out", name: "bravo"), "org.example.b.desktop")
        try put(
            entry("in:receiver:1", name: "Alpha", more: "DBusActivatable=true\nIcon=alpha\n"), "org.example.a.desktop",
            in: Self.packagedFolder)
        // The user's entry counts where both have one.
        try put(entry("x:sender:1", name: "Packaged"), "org.example.b.desktop", in: Self.packagedFolder)
        // No ports of ours.
        try put("[Desktop Entry]\nType=Application\nName=Other\nExec=true\n", "org.example.c.desktop")
        let apps = try await list(["org.example.a", "org.example.b"])
        XCTAssertEqual(apps.map(\.name), ["Alpha", "bravo"])
        XCTAssertEqual(apps.map(\.isDBusActivatable), [true, false])
        XCTAssertEqual(apps.map(\.iconName), ["alpha", nil])
        XCTAssertEqual(apps[0].ports, [.receiver("in", channels: .mono, title: "in")])
        XCTAssertEqual(apps[1].ports, [.sender("out", title: "Out")])
    }

    func testAnAppWhoseProgramIsGoneIsNotInstalled() async throws {
        try put(entry("out:sender:2", more: "TryExec=/not/there\n"), "org.example.b.desktop")
        try put(entry("out:sender:2"), "org.example.c.desktop")
        _ = try await list(["org.example.c"])
    }

    func testWhatIsWrongIsLeftOut() async throws {
        try put(
            entry(
                "ok:sender:2:Fine;;:sender:2;x;a:b;n:sender:0;n:sender:65;n:sender:1>2;n:tap:2;n:sender:٣;ok:receiver:1;"
                    + "evil:sender:2:\u{202E}x;\u{1B}[2J:sender:1;f:filter:1>2>3;f:filter:1>2;n/m:sender:1;"),
            "org.example.a.desktop")
        try put(entry("nothing"), "org.example.b.desktop")
        try put(entry("out:sender:2:no\\escape;"), "org.example.e.desktop")
        try put(entry("out:sender:2"), "noid.desktop")
        try put(entry("out:sender:2", name: "\u{202E}evil"), "org.example.c.desktop")
        let apps = try await list(["org.example.a", "org.example.c"])
        XCTAssertEqual(
            apps[0].ports, [.sender("ok", title: "Fine"), .filter("f", inputs: .mono, outputs: .stereo)])
        XCTAssertEqual(apps[1].name, "org.example.c")
    }

    func testPortsComeBackFromTheirText() {
        for port in [
            AppPort.sender("out", channels: .channels(64), title: "A: B; C"), .receiver("in"),
            .filter("fx", inputs: .stereo), .filter("fx", inputs: .channels(3), outputs: .mono, title: "ü"),
            // With a mark behind it a colon is another character.
            .sender("\u{358}us"), .receiver("in", title: "\u{301}In"),
        ] {
            XCTAssertEqual(AppPort(text: port.text), port)
        }
    }

    func testAnyTextIsAPortOrNone() throws {
        var random = SeededGenerator(seed: 1)
        let parts = [
            "out", ":", "sender", "receiver", "filter", "1", "64", "65", ">", "", "é", "\u{301}", "\u{0}", "\u{202E}",
            "x", "-1",
            "99999999999",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in parts.randomElement(using: &random)! }
                .joined()
            guard let port = AppPort(text: text) else { continue }
            XCTAssertNoThrow(try port.check(), text)
            XCTAssertEqual(AppPort(text: port.text), port)
        }
    }

    func testChangesComeAsAStream() async throws {
        let lists = Mutex<[[String]]>([])
        let reader = Task {
            for await apps in AppDirectory.updates { lists.withLock { $0.append(apps.map(\.id)) } }
        }
        defer { reader.cancel() }
        var slow = AppDirectory.updates.makeAsyncIterator()
        try await eventually("no apps") { lists.withLock { $0.last } == [] }
        let registration = AppRegistration(
            id: "org.example.new", name: "New", ports: [.sender("out")], program: "/bin/true")
        try registration.register()
        try await eventually("the new app") { lists.withLock { $0.last } == ["org.example.new"] }
        try AppRegistration.unregister("org.example.new")
        try await eventually("no app again") { lists.withLock { $0.last } == [] }
        // Equal lists are left out, and one that reads slowly gets the newest.
        let given = lists.withLock { $0 }
        for (list, next) in zip(given, given.dropFirst()) { XCTAssertNotEqual(list, next) }
        let newest = await slow.next()
        XCTAssertEqual(newest, [])
    }
}
