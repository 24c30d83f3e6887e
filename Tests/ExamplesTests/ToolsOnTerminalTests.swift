// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Tools on a terminal that `script` makes.
final class ToolsOnTerminalTests: ToolTestCase {
    /// As a shell runs it with `&`: the terminal is in use by the person at the shell.
    func testInTheBackgroundThereIsNoStatus() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (port, keeper) = try await bus.keeper(channels: .mono)
        // -m: each job in a group of its own, as in a shell that a person uses.
        let command = "sh -mc \"\(Programs.path(of: "tone-sender")) --frequency 440 & wait\""
        let script = try start(
            "tone-sender", [], at: daemon.environment(),
            through: ["/bin/sh", "-c", "exec script -qec '\(command)' /dev/null", "sh"])
        try await waitForPort("Tone.out", of: script, seenBy: bus, isSaid: false)
        try await bus.connect("Tone", to: port)
        // Ten of its updates.
        try await eventually("half a second of sound") { keeper.frameCount > 24_000 }
        let tool = await bus.graph.peers.first { $0.name == "Tone" }?.processID
        kill(try XCTUnwrap(tool), SIGINT)
        try await script.waitForEnd()
        let text = script.output.text
        XCTAssertTrue(text.contains("Sent "), text)
        XCTAssertFalse(text.contains("Tone.out") || text.contains("\u{1B}"), text)
    }

    /// The window is closed while it records: the file is whole, and the tool ends as it does at control-C.
    func testATakeEndsInOrderWhenItsTerminalCloses() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let tool = Programs.path(of: "track-recorder")
        // The shell passes the signal on, as a shell at a prompt does, and says how the tool has ended.
        let command =
            "\(tool) --output \(folder)/take.wav & tool=$!; trap \"kill -HUP $tool\" HUP; wait $tool; wait $tool; "
            + "echo $? > \(folder)/status"
        let script = try start(
            "track-recorder", [], at: daemon.environment(),
            through: ["/bin/sh", "-c", "exec script -qec '\(command)' /dev/null", "sh"])
        try await waitForPort("Recorder.in", of: script, seenBy: bus, isSaid: false)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        try await bus.connect(source, to: "Recorder")
        try await eventually("its line") { script.output.text.contains("dB") }
        let peers = await bus.graph.peers
        let recorder = try XCTUnwrap(peers.first { $0.name == "Recorder" }?.processID)
        script.signal(SIGKILL)
        try await eventually("its end") { kill(recorder, 0) != 0 }
        try await eventually("its status") { (try? self.text(of: "status")) == "0\n" }
        let ports = await bus.graph.ports.map(\.nodeName)
        XCTAssertEqual(ports, ["Test.out"])
        let file = try WaveFile.read("\(folder)/take.wav")
        XCTAssertGreaterThan(file.channels[0].count, 0)
    }

    /// The take goes on without a reader of the output, and its end is like any other.
    func testATakeGoesOnWhenItsReadersAreGone() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        for redirection in ["2>\(folder)/errors", "2>&1"] {
            let recorder = try start(
                "track-recorder", ["--output", "\(folder)/take.wav", "--duration", "0.1"], at: stepper.environment(),
                through: [
                    "/bin/sh", "-c", "{ \"$@\" \(redirection); echo $? > \(folder)/status; } | exec true", "sh",
                ])
            try await waitForPort("Recorder.in", of: recorder, seenBy: bus, isSaid: false)
            let (source, _) = try await bus.source(of: .counting, channels: .stereo)
            try await bus.connect(source, to: "Recorder")
            try await stepper.step(1024, cycles: 10)
            try await recorder.waitForEnd()
            try XCTAssertEqual(text(of: "status"), "0\n")
            let file = try WaveFile.read("\(folder)/take.wav")
            XCTAssertEqual(file.channels[0].count, 4800)
            await source.close()
        }
        try XCTAssertEqual(text(of: "errors"), "")
    }

    private func text(of file: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
    }

    private func startOnTerminal(_ command: String, at daemon: HeadlessPipeWire) throws -> ChildProcess {
        let words = command.split(separator: " ", maxSplits: 1)
        let command = "exec \(Programs.path(of: String(words[0]))) \(words.dropFirst().joined())"
        return try start(
            "pipebus", [], at: daemon.environment(),
            through: ["/bin/sh", "-c", "exec script -qec '\(command)' /dev/null", "sh"])
    }

    /// So that a person knows which of two tools is which in `pipebus list`.
    func testEveryToolShowsItsPortsNameInItsFirstLine() async throws {
        let daemon = try await startDaemon()
        var tools: [ChildProcess] = []
        for (command, line) in [
            ("tone-sender --frequency 440", "Tone.out: waiting until"),
            ("tone-sender --frequency 220", "Tone.out-2: waiting until"), ("echo-filter", "Echo.echo: delay 12000"),
            ("track-recorder --output \(folder)/take.wav", "Recorder.in: waiting until"),
            ("track-recorder --armed --name Armed --output \(folder)/b.wav", "Armed.in  armed: waiting until"),
            ("track-mixer", "Mixer.in → Mixer.mix: waiting until"),
        ] {
            let tool = try startOnTerminal(command, at: daemon)
            tools.append(tool)
            try await eventually(line) { tool.output.text.contains(line) }
        }
        let bus = try await connectClient(to: daemon.remote)
        for destination in ["Recorder", "Mixer"] { try await bus.connect("Tone.out-2", to: destination) }
        for (tool, line) in [
            (tools[3], "  \(folder)/take.wav\u{1B}[K"), (tools[5], "Mixer.in → Mixer.mix\u{1B}[K"),
        ] {
            try await eventually(line) { tool.output.text.contains(line) }
        }
    }

    /// A mistyped name shows before the time limit, and another program is not disturbed.
    func testConnectNamesWhatItWaitsForOnATerminalOnly() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        let typo = try startOnTerminal("pipebus connect ton Recorder --timeout 60", at: daemon)
        let half = try startOnTerminal("pipebus connect \(source.nodeName) Recorder", at: daemon)
        let piped = try start("pipebus", ["connect", "ton", "Recorder", "--timeout", "1.5"], at: daemon.environment())
        try await eventually("both names") {
            typo.output.text.contains("Waiting up to 60 s for \"ton\" and \"Recorder\"; control-C ends it.")
        }
        try await eventually("the other name") {
            half.output.text.contains("Waiting up to 10 s for \"Recorder\"; control-C ends it.")
        }
        let sentence = try await assertOneSentence(piped, from: "pipebus", status: 1, saying: "no port or app")
        XCTAssertFalse(sentence.contains("Waiting"), sentence)
    }

    func testLoadNamesWhatItWaitsForOnATerminal() async throws {
        let daemon = try await startDaemon()
        let path = "\(folder)/routing.json"
        let text = """
            {"format": "pipebus-routing", "version": 1, "connections": [{"from": {"node": "Lead.out"}, "to": {"node": "Mix.in"}}]}
            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let load = try startOnTerminal("pipebus load \(path) --timeout 60", at: daemon)
        try await eventually("the names") {
            load.output.text.contains("Waiting up to 60 s for Lead.out and Mix.in; control-C ends it.")
        }
    }

    /// Control-C leaves a terminal as it was, with the cursor below the report.
    func testARecorderLeavesTheTerminalCleanAtASignal() async throws {
        for signal in [SIGINT, SIGTERM] {
            let stepper = try await startStepper()
            let bus = try await connectClient(to: stepper.remote)
            let tool = Programs.path(of: "track-recorder")
            let command = "stty cols 40 rows 10; exec \(tool) --output \(folder)/\(signal).wav"
            let script = try start(
                "track-recorder", [], at: stepper.environment(),
                through: ["/bin/sh", "-c", "exec script -qec '\(command)' /dev/null", "sh"])
            try await waitForPort("Recorder.in", of: script, seenBy: bus, isSaid: false)
            let (source, _) = try await bus.source(of: .constant(0.5), channels: .stereo)
            try await bus.connect(source, to: "Recorder")
            try await stepper.settle()
            try await stepper.step(1024, cycles: 5)
            try await eventually("its level") { script.output.text.contains("████░  -6.0 dB  Test out") }
            let recorder = await bus.graph.peers.first { $0.name == "Recorder" }?.processID
            kill(try XCTUnwrap(recorder), signal)
            let ending = try await script.waitForEnd()
            XCTAssertEqual(ending, .exited(0), script.output.text)
            let end = script.output.text.components(separatedBy: "\u{1B}[J").last ?? ""
            XCTAssertTrue(end.contains("Recorded 5120 frames"), end)
            XCTAssertFalse(end.contains("\u{1B}") || end.contains("█"), end)
        }
    }

    func testARecorderShowsALineForEachSource() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let tool = Programs.path(of: "track-recorder")
        let command = "stty cols 60 rows 10; exec \(tool) --separate --output \(folder)/tracks --duration 0.1"
        let script = try start(
            "track-recorder", [], at: stepper.environment(),
            through: ["/bin/sh", "-c", "exec script -qec '\(command)' /dev/null", "sh"])
        try await waitForPort("Recorder.in", of: script, seenBy: bus, isSaid: false)
        try await eventually("its first line") { script.output.text.contains("waiting until something is connected") }
        let titles = ["First", "Second", "Third \u{2014} " + String(repeating: "y", count: 90)]
        for (number, title) in titles.enumerated() {
            let port = try await bus.sender(
                "s\(number)", title: title, channels: .mono, latency: .frames(480 * number), state: ()
            ) { _, _, output in
                var samples = output[0]
                for frame in samples.indices { samples[frame] = 0.5 }
            }
            try await bus.connect(port, to: "Recorder")
        }
        try await stepper.settle()
        try await stepper.step(1024, cycles: 2)
        try await eventually("the lines") {
            let text = script.output.text
            return text.contains("-6.0 dB  peak  -6.0 dB  10.0 ms  Second") && text.contains("20.0 ms  Third —")
        }
        try await stepper.step(1024, cycles: 4)
        let ending = try await script.waitForEnd()
        XCTAssertEqual(ending, .exited(0), script.output.text + script.errors.text)
        let text = script.output.text
        XCTAssertFalse(text.contains("port="), "not for people")
        let parts = text.components(separatedBy: "\u{1B}[J")
        XCTAssertFalse(parts.dropLast().joined().contains(String(repeating: "y", count: 60)), "a line that wraps")
        let end = parts.last ?? ""
        XCTAssertTrue(end.contains("First.wav: 4800 frames, peak -6.0 dBFS."), end)
        XCTAssertTrue(end.contains("Recorded 4800 frames (0.100 s) in 3 files"), end)
    }
}
