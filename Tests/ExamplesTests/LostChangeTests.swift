// SPDX-License-Identifier: MIT
import Foundation
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `undo` after a change that could not be recorded.
final class LostChangeTests: RoutingCommandTestCase {
    /// Runs two `connect` on a state folder of its own, the second while that takes nothing, and `undo`.
    private static let script = """
        disk=$1 tool=$2
        mount -t tmpfs -o size=16k none "$disk" || exit 99
        export XDG_STATE_HOME="$disk"
        "$tool" connect App.one App.in || exit 98
        case $3 in
        full) dd if=/dev/zero of="$disk/fill" bs=1k count=100 2> /dev/null ;;
        *) mount -o remount,ro "$disk" || exit 99 ;;
        esac
        "$tool" connect App.two App.in || exit 97
        case $3 in
        full) rm "$disk/fill" ;;
        *) mount -o remount,rw "$disk" || exit 99 ;;
        esac
        "$tool" undo && exit 96
        "$tool" disconnect App.one App.in && "$tool" undo
        """

    private func assertNoOlderChangeIsUndone(where hindrance: String) async throws {
        let disk = "\(folder)/disk"
        _ = unsafe mkdir(disk, 0o700)
        let mount = try ChildProcess(
            "unshare", ["-rm", "mount", "-t", "tmpfs", "-o", "size=16k", "none", disk])
        let canMount = try await mount.waitForEnd()
        try XCTSkipUnless(canMount == .exited(0), "takes the right to mount a file system in a namespace of its own")
        let daemon = try await startDaemon()
        let (bus, sender, other, receiver) = try await scene(daemon)
        let shell = try start(
            "/bin/sh", ["-c", Self.script, "sh", disk, Programs.path(of: "pipebus"), hindrance],
            at: daemon.environment(), through: ["unshare", "-rm"])
        let ending = try await shell.waitForEnd(within: .seconds(30))
        XCTAssertEqual(ending, .exited(0), "\(shell.output.text)\n\(shell.errors.text)")
        let errors = shell.errors.lines
        XCTAssertEqual(errors.count, 2, shell.errors.text)
        XCTAssertTrue(
            errors.first?.contains("\"pipebus undo\" will not know of this") == true, shell.errors.text)
        XCTAssertTrue(errors.last?.hasSuffix("There is nothing to undo.") == true, shell.errors.text)
        // The last undo connected again what the last change had disconnected.
        XCTAssertEqual(shell.output.lines.last, "change=connected source=App.one destination=App.in")
        try await eventually("both to be connected") {
            Set(await bus.graph.sources(of: receiver.id).map(\.id)) == [sender.id, other.id]
        }
    }

    func testAFullFolder() async throws { try await assertNoOlderChangeIsUndone(where: "full") }
    func testAFolderThatIsReadOnly() async throws { try await assertNoOlderChangeIsUndone(where: "read-only") }

    private func historyPath(of daemon: HeadlessPipeWire) throws -> String {
        let folder = try XCTUnwrap(daemon.environment()["XDG_STATE_HOME"]) + "/pipebus"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        return "\(folder)/\(try XCTUnwrap(files.first { $0.hasSuffix(".json") }))"
    }

    /// A folder at the place of the file hinders everybody, also root.
    func testAHistoryThatComesBackIsNotTakenForTheLastOne() async throws {
        let daemon = try await startDaemon()
        let (bus, sender, other, receiver) = try await scene(daemon)
        _ = try await run(["connect", "App.one", "App.in"], at: daemon)
        let path = try historyPath(of: daemon)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let connect = try await run(["connect", "App.two", "App.in"], at: daemon)
        XCTAssertEqual(connect.errors.lines.count, 1, connect.errors.text)
        XCTAssertTrue(connect.errors.text.contains("will not know of this"), connect.errors.text)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
        for _ in 0..<2 {
            let undo = try await run(["undo"], at: daemon, status: 1)
            try await assertOneSentence(
                undo, from: "pipebus", status: 1, saying: "could not be recorded, so nothing before it can be undone")
        }
        let sources = await bus.graph.sources(of: receiver.id).map(\.id)
        XCTAssertEqual(Set(sources), [sender.id, other.id])
        // The next change begins a history.
        let next = try await run(["disconnect", "App.one", "App.in"], at: daemon)
        XCTAssertEqual(next.errors.text, "")
        _ = try await run(["undo"], at: daemon)
        let end = try await run(["undo"], at: daemon, status: 1)
        XCTAssertEqual(end.errors.text, "pipebus: There is nothing to undo.")
    }

    /// Nobody knows which channels it had: the receiver has taken its links.
    func testAConnectionToASourceThatHangsIsNotMadeAgain() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
        try await waitForPort("Tone.out", of: tone, seenBy: bus)
        let recorder = try start("track-recorder", ["--output", "\(folder)/take.wav"], at: daemon.environment())
        try await waitForPort("Recorder.in", of: recorder, seenBy: bus)
        let other = try await bus.sender("other", channels: .mono, state: ()) { _, _, _ in }
        for arguments in [["Tone", "Recorder"], ["Tone"]] {
            _ = try await run(["connect", "Tone", "Recorder"], at: daemon)
            _ = try await run(["connect", other.nodeName, "Recorder"], at: daemon)
            tone.signal(SIGSTOP)
            try await eventually("the mark") { await bus.graph.ports.contains { !$0.stalledSources.isEmpty } }
            let disconnect = try await run(["disconnect"] + arguments, at: daemon)
            XCTAssertTrue(disconnect.errors.text.contains("will not know of this"), disconnect.errors.text)
            let undo = try await run(["undo"], at: daemon, status: 1)
            try await assertOneSentence(undo, from: "pipebus", status: 1, saying: "nothing before it can be undone")
            let connections = await bus.graph.connections
            XCTAssertEqual(connections.map { $0.source }, [other.id])
            tone.signal(SIGCONT)
            try await bus.disconnect(other, from: "Recorder")
        }
    }

    func testADamagedHistoryIsSaidToBe() async throws {
        let daemon = try await startDaemon()
        let (bus, sender, other, receiver) = try await scene(daemon)
        _ = try await run(["connect", "App.one", "App.in"], at: daemon)
        let path = try historyPath(of: daemon)
        let damage = "is damaged, so the changes up to now are forgotten."
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        let undo = try await run(["undo"], at: daemon, status: 1)
        try await assertOneSentence(undo, from: "pipebus", status: 1, saying: "\(damage) There is nothing to undo.")
        let connect = try await run(["connect", "App.two", "App.in"], at: daemon)
        XCTAssertEqual(connect.errors.lines.count, 1, connect.errors.text)
        XCTAssertTrue(connect.errors.text.hasSuffix(damage), connect.errors.text)
        let taken = try await run(["undo"], at: daemon)
        XCTAssertEqual(taken.errors.text, "")
        let sources = await bus.graph.sources(of: receiver.id).map(\.id)
        XCTAssertEqual(sources, [sender.id])
        XCTAssertNotEqual(sender.id, other.id)
    }
}
