// SPDX-License-Identifier: MIT
import ConnectionGraph
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The tools while the daemon is stopped: it takes connections and does not answer.
final class StoppedDaemonTests: ToolTestCase {
    func testEveryToolSaysThatTheDaemonDoesNotAnswer() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            daemon.signal(SIGSTOP)
            for (tool, arguments) in [
                ("pipebus", ["list"]), ("pipebus", ["connect", "a", "b"]), ("tone-sender", ["--frequency", "440"]),
            ] {
                let process = try launch(tool, arguments, daemon, installation)
                try await assertOneSentence(process, from: tool, status: 1, saying: "does not answer")
                XCTAssertTrue(process.errors.text.contains("restart PipeWire"), process.errors.text)
            }
            daemon.signal(SIGCONT)
        }
    }

    private func launch(
        _ tool: String, _ arguments: [String], _ daemon: HeadlessPipeWire, _ installation: PipeWireInstallation
    ) throws -> ChildProcess {
        try start(tool, arguments, at: daemon.environment(client: installation))
    }

    /// The tool finds its connection ended by a daemon that is there and answers nobody any more.
    func testAToolThatWasRemovedBeforeTheDaemonStoppedDoesNotComeBack() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let bus = try await connectClient(to: daemon.remote)
            let tone = try launch("tone-sender", ["--frequency", "440"], daemon, installation)
            try await waitForPort("Tone.out", of: tone, seenBy: bus)
            let id = try await clientID(of: "Tone", at: daemon)
            tone.signal(SIGSTOP)
            try await destroy(id, at: daemon)
            try await eventually("the port to be gone") {
                await bus.graph.ports.allSatisfy { $0.nodeName != "Tone.out" }
            }
            daemon.signal(SIGSTOP)
            tone.signal(SIGCONT)
            try await assertOneSentence(
                tone, from: "tone-sender", status: 1, saying: "has ended this app's connection")
            daemon.signal(SIGCONT)
        }
    }

    func testAToolThatWaitsBeginsWhenTheDaemonAnswers() async throws {
        let daemon = try await startDaemon()
        daemon.signal(SIGSTOP)
        let tone = try start("tone-sender", ["--wait", "--frequency", "440"], at: daemon.environment())
        try await eventually("it to wait") { tone.errors.text.contains("does not answer") }
        XCTAssertEqual(tone.output.text, "", "no port yet")
        daemon.signal(SIGCONT)
        let bus = try await connectClient(to: daemon.remote)
        try await waitForPort("Tone.out", of: tone, seenBy: bus)
        XCTAssertEqual(tone.errors.lines.count, 1, tone.errors.text)
    }

    /// It has no port whose cycles would show that the daemon stands still.
    func testTopShowsThatTheDaemonDoesNotAnswer() async throws {
        func states(_ top: ChildProcess) -> [String] {
            top.output.lines.compactMap { line in
                let table = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return table?["state"] as? String
            }
        }
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let top = try start(
                "pipebus", ["top", "--json", "--interval", "0.3"], at: daemon.environment(client: installation))
            try await eventually("a table") { states(top).last == "running" }
            daemon.signal(SIGSTOP)
            try await eventually("the silence") { states(top).last == "notResponding" }
            daemon.signal(SIGCONT)
            try await eventually("the answer") { states(top).last == "running" }
            top.signal(SIGINT)
            let ending = try await top.waitForEnd()
            XCTAssertEqual(ending, .exited(0), top.errors.text)
            XCTAssertEqual(top.errors.lines.count, 2, top.errors.text)
            XCTAssertTrue(top.errors.lines.first?.contains("The PipeWire daemon does not answer") ?? false)
            XCTAssertTrue(top.errors.lines.last?.contains("PipeWire answers again") ?? false)
            XCTAssertFalse(Set(states(top)).contains("daemonGone"))
        }
    }
}
