// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// `pipebus watch` as a person sees it and uses it.
final class WatchScreenTests: WatchTestCase {
    func testBothViews() async throws {
        for installation in PipeWireInstallation.all {
            let daemon = try await startDaemon(installation: installation)
            let bus = try await connectClient(to: daemon.remote)
            let tools = try await startTools(at: daemon, bus, installation)
            let screen = try await watch(at: daemon, installation: installation)
            let pipelines = """
                PipeBus  48000 Hz  1024 frames  21.3 ms  Dummy-Driver  load N

                Pipelines 1   Ports 3
                  PIPELINE                METER               PEAK  VOLUME  PAN   LATENCY
                ▌ Tone → Echo → Recorder  ━━━━━━━━━━━━━━╸─    -6.0  0.0 dB    C  100.0 ms










                ↑↓ select  c connect  d disconnect  + - volume  m mute  Tab ports  / filter  s solo  ? help  q quit
                """
            try await screen.wait("the pipelines") { masked($0).joined(separator: "\n") == pipelines }
            try await screen.press("Tab")
            let ports = """
                PipeBus  48000 Hz  1024 frames  21.3 ms  Dummy-Driver  load N

                Pipelines 1   Ports 3
                  PORT                                 METER               PEAK  VOLUME  PAN   LATENCY   LOAD  XRUNS
                  Echo  org.pipebus.echo-filter
                ▌   ◆ Echo.echo                        ━━━━━━━━━━━━━━╸─    -6.0               100.0 ms N%
                      └─ Tone.out                      ━━━━━━━━━━━━━━╸─    -6.0                 0.0 ms
                  Recorder  org.pipebus.track-recorder
                    ■ Recorder.in                                                             100.0 ms N%
                      └─ Echo.echo                     ━━━━━━━━━━━━━━╸─    -6.0  0.0 dB    C  100.0 ms
                  Tone  org.pipebus.tone-sender
                    ▶ Tone.out                         ━━━━━━━━━━━━━━╸─    -6.0                 0.0 ms N%



                ↑↓ select  c connect  d disconnect  + - volume  m mute  Tab pipelines  / filter  ? help  q quit
                """
            try await screen.wait("the ports") { masked($0).joined(separator: "\n") == ports }
            try await screen.close()
            for tool in tools { tool.signal(SIGINT) }
        }
    }

    func testKeysChangeTheGraph() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        try await startTools(at: daemon, bus)
        let screen = try await watch(at: daemon)
        try await screen.wait("the pipeline") { $0.contains { $0.hasPrefix("▌ Tone → Echo → Recorder") } }

        try await screen.press("-", "-", "-")
        try await screen.wait("the volume") { $0.contains { $0.hasPrefix("▌ Tone") && $0.contains("-3.0 dB") } }
        try await screen.press("m", "s", ">")
        try await screen.wait("all of them") { $0.contains { $0.contains("muted, solo") && $0.contains("R10") } }
        let level = try await bus.level(of: "Echo", at: "Recorder")
        XCTAssertEqual(level.volumeInDecibels, -3, accuracy: 1e-6)
        XCTAssertEqual(level.pan, 0.1)
        XCTAssertTrue(level.isMuted && level.isSoloed)
        try await screen.press("0", "m")
        try await screen.wait("the answer") { $0.contains("Echo.echo at Recorder.in: mute off") }
        let loud = try await bus.level(of: "Echo", at: "Recorder")
        XCTAssertEqual(loud.volume, 1)
        XCTAssertFalse(loud.isMuted)

        try await screen.press("b")
        try await screen.wait("the bypass") { $0.contains { $0.contains("Echo bypassed") } }
        let isBypassed = try await bus.isBypassed("Echo")
        XCTAssertTrue(isBypassed)

        // The tone once more, beside the echo.
        try await screen.press("c")
        try await screen.wait("the sources") { $0.contains("▌ Tone.out   mono") }
        try await screen.press("Enter")
        try await screen.wait("the destinations") { $0.contains("Connect Tone.out to which port?") }
        try await screen.type("rec")
        try await screen.press("Enter")
        try await screen.wait("both") {
            $0.contains("  Tone → Recorder") || $0.contains { $0.hasPrefix("  Tone → Recorder ") }
        }
        let list = try start("pipebus", ["list"], at: daemon.environment())
        try await list.waitForEnd()
        XCTAssertEqual(list.output.text.components(separatedBy: "→ Recorder.in").count, 3, list.output.text)

        try await screen.press("Down", "d")
        try await screen.wait("the question") { $0.contains("Disconnect Tone.out from Recorder.in? y/n") }
        try await screen.press("y")
        try await screen.wait("one") { !$0.contains { $0.contains("Tone → Recorder") } }
        try await eventually("its end") {
            let graph = await bus.graph
            return graph.connections.count == 2
        }
        // Taken back, made again, and the connection before it.
        for (key, words, count) in [
            ("u", "Tone.out → Recorder.in connected", 3), ("U", "Tone.out → Recorder.in disconnected", 2),
            ("u", "Tone.out → Recorder.in connected", 3), ("u", "Tone.out → Recorder.in disconnected", 2),
            ("u", "There is nothing to undo.", 2),
        ] {
            try await screen.press(key)
            try await screen.wait(words) { $0.contains { $0.contains(words) } }
            try await eventually("\(count) connections") { await bus.graph.connections.count == count }
        }

        // The sentence of an error.
        try await screen.press("Tab", "/")
        try await screen.type("echo.echo")
        try await screen.press("Enter", "Down", "m")
        try await screen.wait("the sentence") {
            $0.contains(
                "Echo echo keeps no levels of its sources: only a receiver made with PipeBus that mixes them does.")
        }
    }

    /// The recorder disconnects a source that hangs, and a person looks for it.
    func testThePipelineOfASourceThatHangsStays() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
        try await waitForPort("Tone.out", of: tone, seenBy: bus)
        let recorder = try start(
            "track-recorder", ["--output", "\(folder)/take.wav", "--from", "Tone"], at: daemon.environment())
        try await waitForPort("Recorder.in", of: recorder, seenBy: bus)
        let screen = try await watch(at: daemon)
        try await screen.wait("the pipeline") { $0.contains { $0.hasPrefix("▌ Tone → Recorder") } }
        tone.signal(SIGSTOP)
        try await eventually("its end") { await bus.graph.connections.isEmpty }
        let graph = await bus.graph
        XCTAssertEqual(graph.ports.flatMap(\.stalledSources).count, 1)
        try await screen.wait("the mark") {
            $0.contains { $0.hasPrefix("▌ Tone → Recorder") && $0.contains("does not answer") }
        }
        tone.signal(SIGCONT)
        try await screen.wait("its sound") {
            $0.contains { $0.hasPrefix("▌ Tone → Recorder") && !$0.contains("does not answer") }
        }
    }

    func testItFitsEveryTerminal() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .constant(0.5), channels: .mono)
        let (receiver, _) = try await bus.keeper(channels: .mono)
        try await bus.connect(source, to: receiver)
        let screen = try await watch(at: daemon)
        try await screen.wait("the level") { $0.contains { $0.contains("-6.0") } }
        for (columns, rows) in [(300, 100), (20, 5), (40, 9), (9, 2), (100, 16)] {
            try await screen.resize(columns: columns, rows: rows)
            try await screen.wait("\(columns) × \(rows)") { lines in
                lines.count == rows && (rows < 4 || lines.contains { $0.hasPrefix("▌ ") })
                    && (rows < 5 || lines.last?.hasSuffix("q quit") == true)
            }
        }
        try await screen.wait("the level") { $0.contains { $0.contains("-6.0") } }
    }

    func testTheTerminalIsAsBefore() async throws {
        let daemon = try await startDaemon()
        let after = { (lines: [String]) in lines.filter { !$0.isEmpty } == ["BEFORE", "AFTER 0", "SAME"] }
        var screen = try await watch(at: daemon)
        try await screen.wait("it") { $0.contains { $0.contains("q quit") } }
        try await screen.press("q")
        try await screen.wait("its end by q", until: after)
        try await screen.close()
        for (signal, name) in [(SIGTERM, "TERM"), (SIGINT, "INT"), (SIGHUP, "HUP")] {
            screen = try await watch(at: daemon)
            try await screen.wait("it") { $0.contains { $0.contains("q quit") } }
            let shell = try await screen.process
            let children = try String(contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
            let tool = try XCTUnwrap(children.split(separator: " ").first.flatMap { Int32($0) })
            kill(tool, signal)
            try await screen.wait("its end by SIG\(name)", until: after)
            try await screen.close()
        }
    }

    /// Control-Z, as any program of a shell.
    func testItStopsAndGoesOn() async throws {
        let daemon = try await startDaemon()
        let screen = try await terminal(
            "exec env PS1='prompt> ' bash --norc --noprofile -i", columns: 80, rows: 12,
            environment: daemon.environment())
        try await screen.wait("the prompt") { $0.first == "prompt>" }
        try await screen.type("\(Programs.path(of: "pipebus")) watch --duration 200\n")
        try await screen.wait("it") { $0.contains { $0.hasSuffix("q quit") } }
        try await screen.press("C-z")
        try await screen.wait("the prompt") { $0.contains { $0.contains("Stopped") } && $0.contains("prompt>") }
        let bus = try await connectClient(to: daemon.remote)
        try await eventually("its meters to be gone") { await bus.graph.ports.isEmpty }
        let dump = try await GraphDump.take(daemon)
        XCTAssertEqual(
            dump.objects.filter { $0.type == "Node" && $0.properties["node.name"]?.contains("meters") == true }, [])
        try await screen.type("fg\n")
        try await screen.wait("it again") { $0.contains { $0.hasSuffix("q quit") } }
        try await screen.press("q")
        try await screen.wait("the prompt") { $0.filter { !$0.isEmpty }.last == "prompt>" }
    }

    func testItOutlivesItsDaemon() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .constant(0.5), channels: .mono)
        let (receiver, _) = try await bus.keeper(channels: .mono)
        try await bus.connect(source, to: receiver)
        let screen = try await watch(at: daemon)
        try await screen.wait("the level") { $0.contains { $0.contains("-6.0") } }
        try await daemon.kill()
        try await screen.wait("the reason") { lines in
            lines.contains { $0.contains("Waiting for it …") } && !lines.contains { $0.contains("Test") }
        }
        try daemon.startAgain()
        try await screen.wait("the level again") { $0.contains { $0.contains("-6.0") } }
        try await screen.press("q")
        try await screen.wait("its end") { $0.contains("AFTER 0") }
    }

    func testFiftyPortsAndHostileNames() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote, as: "Studio")
        for number in 0..<50 {
            _ = try await bus.sender("t\(number)", title: number == 7 ? "音 Koto 🎻" : nil, channels: .mono, state: ()) {
                _, _, _ in
            }
        }
        let names = [
            "a\u{1B}[2J\u{1B}]0;x\u{7}b", "c\u{202E}d\ne", "f\u{9B}31mg",
            "h" + String(repeating: "e\u{301}", count: 400),
        ]
        let ports = try names.map { try ForeignFilter($0, at: daemon.remote, latency: 0) }
        defer { withExtendedLifetime(ports) {} }
        let screen = try await watch("--no-meters", at: daemon, columns: 70, rows: 40)
        try await screen.wait("the tabs") { $0.contains("Pipelines 0   Ports 54") }
        try await screen.press("Tab")
        try await screen.wait("the first") {
            $0.contains { $0.contains("LATENCY") } && $0.contains { $0.hasPrefix("▌") }
        }
        // The foreign ports are of the same process, and so of the same app.
        try await screen.press("End")
        try await screen.wait("the last ones") { lines in
            lines.contains("    ▶ Studio.t49                    0.0 ms             0")
                && lines.contains { $0.contains("a\u{FFFD}[2J\u{FFFD}]0;x\u{FFFD}b") }
                && lines.contains { $0.contains("c\u{FFFD}d\u{FFFD}e") }
                && lines.contains { $0.contains("f\u{FFFD}31mg") }
        }
        let columns = try await screen.lines.filter { $0.contains(" ms ") && !$0.hasPrefix("PipeBus") }
            .map { TextColumns.count($0[..<($0.range(of: " ms ")?.lowerBound ?? $0.startIndex)]) }
        XCTAssertGreaterThan(columns.count, 25)
        XCTAssertEqual(Set(columns).count, 1)
        try await screen.press("Home")
        try await screen.wait("the first ones") { lines in lines.contains { $0.hasPrefix("▌   ▶ Studio.t0 ") } }
        try await screen.press("/")
        try await screen.type("t7")
        try await screen.press("Enter")
        try await screen.wait("one") { lines in
            lines.contains("Pipelines 0   Ports 1   only “t7”") && lines.contains { $0.contains("“音 Koto 🎻”") }
        }
        let lines = try await screen.lines
        XCTAssertTrue(lines.first?.hasPrefix("PipeBus") == true && lines.last?.hasSuffix("q quit") == true)
    }
}
