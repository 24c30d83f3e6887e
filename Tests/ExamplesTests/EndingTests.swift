// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

final class EndingTests: ToolTestCase {
    private var tools: [(tool: String, arguments: [String], port: String)] {
        [
            ("tone-sender", ["--frequency", "440"], "Tone.out"), ("echo-filter", [], "Echo.echo"),
            ("track-recorder", ["--output", "\(folder)/track.wav"], "Recorder.in"),
        ]
    }

    func testASignalEndsEveryToolInOrderAndLeavesNothing() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        for number in [SIGINT, SIGTERM] {
            var processes: [(child: ChildProcess, port: String)] = []
            for (tool, arguments, port) in tools {
                let process = try start(tool, arguments, at: daemon.environment())
                try await waitForPort(port, of: process, seenBy: bus)
                processes.append((process, port))
            }
            try await bus.connect("Tone", to: "Echo")
            try await bus.connect("Echo", to: "Recorder")
            for (process, port) in processes {
                process.signal(number)
                let ending = try await process.waitForEnd()
                XCTAssertEqual(ending, .exited(0), "\(process.name): \(process.errors.text)")
                XCTAssertEqual(process.errors.text, "")
                // That the port is there, and what it came to.
                XCTAssertEqual(process.output.lines.count, 2, process.output.text)
                XCTAssertEqual(process.output.lines.first, "port=\(port)")
            }
            // A tool is gone from the graph when it ends; our own view may be a moment late.
            try await eventually("the graph to be empty") { await bus.graph.ports.isEmpty }
        }
    }

    func testTheEndOfTheDaemonIsToldInOneSentence() async throws {
        for (tool, arguments, port) in tools {
            let daemon = try await startDaemon()
            let bus = try await connectClient(to: daemon.remote)
            let process = try start(tool, arguments, at: daemon.environment())
            try await waitForPort(port, of: process, seenBy: bus)
            daemon.signal(SIGKILL)
            try await assertOneSentence(process, from: tool, status: 1, saying: "daemon went away")
        }
    }

    func testTheSecondProcessOfAToolGetsANameOfItsOwn() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        for port in ["Tone.out", "Tone.out-2"] {
            let process = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
            try await waitForPort(port, of: process, seenBy: bus)
        }
    }
}
