// SPDX-License-Identifier: MIT
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The base of tests of `pipebus watch` on a terminal.
class WatchTestCase: ToolTestCase {
    /// Starts `watch` in a terminal, as a command of a shell that says how it ended.
    func watch(
        _ arguments: String = "", at daemon: HeadlessPipeWire, columns: Int = 100, rows: Int = 16,
        installation: PipeWireInstallation = .system
    ) async throws -> TmuxScreen {
        let tool = Programs.path(of: "pipebus")
        // Bounded, in case nobody ends the terminal.
        return try await terminal(
            "echo BEFORE; stty -g > \(folder)/stty; \(tool) watch --interval 0.3 --duration 200 \(arguments); echo \"AFTER $?\"; "
                + "[ \"$(stty -g)\" = \"$(cat \(folder)/stty)\" ] && echo SAME; sleep 200",
            columns: columns, rows: rows, environment: daemon.environment(client: installation))
    }

    func terminal(
        _ command: String, columns: Int, rows: Int, environment: [String: String]
    ) async throws -> TmuxScreen {
        let screen = try await TmuxScreen.start(
            command, columns: columns, rows: rows, in: folder, environment: environment)
        addTeardownBlock { try await screen.close() }
        return screen
    }

    /// The screen without figures that differ from run to run: loads, and xruns of a busy machine.
    func masked(_ lines: [String]) -> [String] {
        lines.map { line in
            line.replacing(/[ ]+load[ ]+\S+[ ]+xruns .*/, with: "  load N").replacing(
                /[ ]+\d+(\.\d+)?%[ ]+\d+/, with: " N%"
            )
            .replacing(/(, |[ ]+)\d+ xruns?$/, with: "").replacing(/[ ]+$/, with: "")
        }
    }

    /// A tone through an echo into a recorder, in processes of their own.
    @discardableResult
    func startTools(
        at daemon: HeadlessPipeWire, _ bus: BusClient, _ installation: PipeWireInstallation = .system
    ) async throws -> [ChildProcess] {
        var processes: [ChildProcess] = []
        for (tool, arguments, port) in [
            ("tone-sender", ["--frequency", "1000", "--gain", "-6"], "Tone.out"),
            ("echo-filter", ["--delay", "4800", "--feedback", "0"], "Echo.echo"),
            ("track-recorder", ["--output", "\(folder)/take.wav"], "Recorder.in"),
        ] {
            let process = try start(tool, arguments, at: daemon.environment(client: installation))
            processes.append(process)
            try await waitForPort(port, of: process, seenBy: bus)
        }
        try await bus.connect("Tone", to: "Echo", lingers: true)
        try await bus.connect("Echo", to: "Recorder", lingers: true)
        return processes
    }
}
