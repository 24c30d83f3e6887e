// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `pipebus daemon`: its line, its life, and that nothing is left of it.
final class DaemonCommandTests: ToolTestCase {
    /// Starts one.
    ///
    /// - Returns: the command, and the socket that it names.
    private func startCommand(_ options: [String] = []) async throws -> (process: ChildProcess, remote: String) {
        let process = try start("pipebus", ["daemon"] + options)
        let line = try await process.nextLine()
        let words = "export PIPEWIRE_REMOTE="
        XCTAssertTrue(line.hasPrefix(words), line)
        return (process, String(line.dropFirst(words.count)))
    }

    private func assertNothingIsLeft(of remote: String) async throws {
        let folder = URL(fileURLWithPath: remote).deletingLastPathComponent().path
        try await eventually("\(folder) to go") { unsafe access(folder, F_OK) != 0 }
        let left = daemons(in: folder)
        XCTAssertEqual(left, [])
    }

    /// The processes of daemons in a folder.
    private func daemons(in folder: String) -> [pid_t] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap(pid_t.init).filter { pid in
            let words = (try? String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8)) ?? ""
            return words.split(separator: "\0") == ["pipewire", "-c", "\(folder)/daemon.conf"]
        }
    }

    func testItServesClientsUntilASignal() async throws {
        for signal in [SIGINT, SIGTERM] {
            let (process, remote) = try await startCommand([
                "--rate", "44100", "--quantum", "256", "--sink", "--source",
            ])
            let bus = try await connectClient(to: remote)
            let devices = await bus.graph.ports.map(\.nodeName)
            XCTAssertEqual(Set(devices), ["null-sink", "null-source"])
            let clock = bus.clock
            XCTAssertEqual(clock?.sampleRate, 44_100)
            await bus.close()
            process.signal(signal)
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(0), process.errors.text)
            XCTAssertEqual(process.errors.text, "")
            try await assertNothingIsLeft(of: remote)
        }
    }

    func testItsInputDeviceIsShownAsOne() async throws {
        let (_, remote) = try await startCommand(["--source"])
        let graph = try start("pipebus", ["graph", "--json", "--remote", remote])
        let ending = try await graph.waitForEnd()
        XCTAssertEqual(ending, .exited(0), graph.errors.text)
        let json = try XCTUnwrap(
            try JSONSerialization.jsonObject(with: Data(graph.output.text.utf8)) as? [String: Any])
        let ports = (json["apps"] as? [[String: Any]] ?? []).flatMap { $0["ports"] as? [[String: Any]] ?? [] }
        XCTAssertEqual(ports.compactMap { $0["kind"] as? String }, ["capture"])
    }

    func testNothingIsLeftOfOneThatIsKilled() async throws {
        let (process, remote) = try await startCommand()
        process.signal(SIGKILL)
        try await process.waitForEnd()
        try await assertNothingIsLeft(of: remote)
    }

    /// What the help says: one line in a shell, whose programs use it from then on, and it ends with the shell.
    func testAShellTakesItsLine() async throws {
        let tool = Programs.path(of: "pipebus")
        let script = """
            eval "$(\(tool) daemon --until $$ &)"
            echo "$PIPEWIRE_REMOTE"
            \(tool) list
            """
        let shell = try start("/bin/sh", ["-c", script])
        let ending = try await shell.waitForEnd(within: .seconds(30))
        XCTAssertEqual(ending, .exited(0), shell.errors.text)
        XCTAssertEqual(shell.output.lines.last, "There is no port in the graph.")
        let remote = try XCTUnwrap(shell.output.lines.first)
        XCTAssertTrue(remote.hasSuffix("/pipewire-0"), remote)
        try await assertNothingIsLeft(of: remote)
    }

    /// Control-C at a prompt goes to the shell's process group.
    func testControlCInTheShellDoesNotEndIt() async throws {
        let tool = Programs.path(of: "pipebus")
        let script = """
            trap : INT
            eval "$(\(tool) daemon --until $$ &)"
            echo "$PIPEWIRE_REMOTE"
            kill -INT 0
            for time in 1 2 3 4 5 6 7 8 9 10; do \(tool) list || exit 1; done
            """
        let shell = try start("/usr/bin/setsid", ["--wait", "/bin/sh", "-c", script])
        let ending = try await shell.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(0), shell.errors.text)
        try await assertNothingIsLeft(of: try XCTUnwrap(shell.output.lines.first))
    }

    /// As of a terminal that is closed, or of an ssh session that ends.
    func testItEndsWithTheSession() async throws {
        let tool = Programs.path(of: "pipebus")
        let shell = try start("/usr/bin/setsid", ["--wait", "/bin/sh", "-c", "\(tool) daemon & read line"])
        let line = try await shell.nextLine()
        let remote = String(line.dropFirst("export PIPEWIRE_REMOTE=".count))
        let bus = try await connectClient(to: remote)
        await bus.close()
        shell.closeInput()
        try await assertNothingIsLeft(of: remote)
    }

    /// At the same place, where apps wait for it, but not again and again.
    func testADaemonThatIsKilledIsStartedAgain() async throws {
        let (process, remote) = try await startCommand()
        let bus = try await connectClient(to: remote)
        _ = try await bus.sender("out", state: ()) { _, _, _ in }
        let folder = URL(fileURLWithPath: remote).deletingLastPathComponent().path
        var killed: Set<Int32> = []
        for round in 0..<6 {
            let daemon = try await eventualResult("daemon \(round)") {
                daemons(in: folder).first { !killed.contains($0) }
            }
            if round < 5 {
                try await eventually("the port, round \(round)") {
                    let graph = await bus.graph
                    return bus.state == .running && graph.ports.count == 1
                }
            }
            killed.insert(daemon)
            kill(daemon, SIGKILL)
        }
        let ending = try await process.waitForEnd(within: .seconds(30))
        XCTAssertEqual(ending, .exited(1))
        XCTAssertEqual(
            process.errors.lines,
            ["pipebus: The daemon has ended 6 times within a minute; PIPEWIRE_DEBUG=4 may show the reason."])
        await bus.close()
        try await assertNothingIsLeft(of: remote)
    }

    func testWhatCannotBeDoneIsSaidInOneSentence() async throws {
        for (options, status, words) in [
            (["--rate", "3"], 64, "--rate takes 8000 to 384000 hertz, not 3."),
            (["--quantum", "100"], 64, "power of two"), (["--quantum", "8"], 64, "--quantum takes 16 to 8192 frames"),
            (["--until", "0"], 64, "--until"), (["--until", "2147483647"], 1, "There is no process 2147483647"),
        ] {
            let process = try start("pipebus", ["daemon"] + options)
            try await assertOneSentence(process, from: "pipebus", status: Int32(status), saying: words)
        }
        let process = try start("pipebus", ["daemon"], adding: ["PATH": "/nonexistent", "PIPEBUS_PIPEWIRE_ROOT": ""])
        try await assertOneSentence(process, from: "pipebus", status: 1, saying: "install PipeWire")
    }
}
