// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus list --all` and `graph --all`: apps that do not run, and ports that are not as their apps declare them.
final class InstalledAppTests: LevelCommandTestCase {
    private func put(_ id: String, _ name: String, _ ports: String) throws {
        let applications = folder + "/data/applications"
        try FileManager.default.createDirectory(atPath: applications, withIntermediateDirectories: true)
        try """
        [Desktop Entry]
        Type=Application
        Name=\(name)
        Exec=true
        Icon=audio-card
        Implements=org.pipebus.Port1;
        X-PipeBus-Ports=\(ports)

        """.write(toFile: "\(applications)/\(id).desktop", atomically: true, encoding: .utf8)
    }

    func testTheGraphHasThemGreyed() async throws {
        let daemon = try await startDaemon()
        try put("org.example.absent", "Absent Synth", "out:sender:2:Main Out;voice:receiver:1")
        let app = try await connectClient(to: daemon.remote, as: "Pad")
        _ = try await app.source("main", of: .counting, channels: .stereo)
        func graph(_ arguments: [String]) async throws -> ChildProcess {
            let process = try start(
                "pipebus", ["graph"] + arguments, at: daemon.environment(),
                adding: ["XDG_DATA_HOME": folder + "/data", "XDG_DATA_DIRS": folder + "/none"])
            try await process.waitForEnd()
            return process
        }
        let plain = try await graph([])
        XCTAssertFalse(plain.output.text.contains("Absent"), plain.output.text)
        for form in [[], ["--dot"], ["--mermaid"], ["--json"], ["--svg", "/dev/stdout"]] {
            let all = try await graph(["--all"] + form)
            XCTAssertEqual(all.ending, .exited(0), all.errors.text)
            XCTAssertTrue(all.output.text.contains("Absent Synth"), all.output.text)
        }
        let named = try await graph(["absent", "--all"])
        XCTAssertEqual(named.ending, .exited(0), named.errors.text)
        XCTAssertFalse(named.output.text.contains("Pad"), named.output.text)
        let missing = try await graph(["absent"])
        try await assertOneSentence(missing, from: "pipebus", status: 1, saying: "\"pipebus list --all\"")
    }

    private func list(_ arguments: String..., at daemon: HeadlessPipeWire) async throws -> ChildProcess {
        let process = try start(
            "pipebus", ["list"] + arguments, at: daemon.environment(),
            adding: ["XDG_DATA_HOME": folder + "/data", "XDG_DATA_DIRS": folder + "/none"])
        try await process.waitForEnd()
        return process
    }

    func testAppsThatDoNotRunAndPortsThatAreNotAsDeclared() async throws {
        let daemon = try await startDaemon()
        try put("org.example.absent", "Absent Synth", "out:sender:2:Main Out;voice:receiver:1")
        try put("org.pipebus.test", "Tester", "main:sender:1;fx:filter:2")
        let app = try await connectClient(to: daemon.remote, as: "Pad")
        _ = try await app.source("main", of: .counting, channels: .stereo)
        _ = try await app.keeper(channels: .stereo)

        let plain = try await list(at: daemon)
        XCTAssertFalse(plain.output.text.contains("Absent"), plain.output.text)
        let all = try await list("--all", at: daemon)
        XCTAssertEqual(all.ending, .exited(0), all.errors.text)
        for line in [
            "Absent Synth (org.example.absent)  not running", "  sender  Absent Synth.out  “Main Out”",
            "  receiver  Absent Synth.voice",
            "warning: Tester: “main” is declared as a sender with 1 channel and is a sender with 2 channels; its desktop entry is "
                + "\(folder)/data/applications/org.pipebus.test.desktop",
            "warning: Tester: “fx” is declared as a filter with 2 channels and is not there; its desktop entry is "
                + "\(folder)/data/applications/org.pipebus.test.desktop",
        ] {
            XCTAssertTrue(
                all.output.text.components(separatedBy: "\n").contains(line), "\(line) is not in\n\(all.output.text)")
        }
        XCTAssertFalse(all.output.text.contains("\u{1B}"), "no colour in a pipe")
        XCTAssertFalse(all.output.text.contains("Tester (org.pipebus.test)  not running"))

        let named = try await list("--all", "absent", at: daemon)
        XCTAssertEqual(named.ending, .exited(0), named.errors.text)
        XCTAssertFalse(named.output.text.contains("Pad"), named.output.text)
        let missing = try await list("absent", at: daemon)
        try await assertOneSentence(missing, from: "pipebus", status: 1, saying: "\"pipebus list --all\"")

        let json = try await list("--all", "--json", at: daemon)
        let document = try XCTUnwrap(
            JSONSerialization.jsonObject(with: Data(json.output.text.utf8)) as? [String: Any])
        let installed = try XCTUnwrap(document["installed"] as? [[String: Any]])
        XCTAssertEqual(installed.map { $0["id"] as? String }, ["org.example.absent", "org.pipebus.test"])
        XCTAssertEqual(installed.map { $0["isRunning"] as? Bool }, [false, true])
        XCTAssertEqual((installed[0]["ports"] as? [[String: Any]])?.map { $0["outputs"] as? Int }, [2, 0])
        XCTAssertEqual((installed[1]["mismatches"] as? [String])?.count, 3)
    }
}
