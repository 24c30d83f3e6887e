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
        for number in [SIGINT, SIGTERM, SIGHUP] {
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

    /// The events that a tool does not want.
    private enum Fate: CaseIterable {
        case daemonRestarted, clientDestroyed, nodeDestroyed

        /// Beginnings of the sentences that the tool writes, in order.
        var sentences: [String] {
            switch self {
            case .daemonRestarted:
                ["The PipeWire daemon has ended; the app connects again", "Connected to PipeWire again, after "]
            case .clientDestroyed: ["The PipeWire daemon runs on, but has ended this app's connection"]
            case .nodeDestroyed: ["Another program removed the port \""]
            }
        }
    }

    func testEveryToolLivesOnOrEndsWithTheReasonThatIsTrue() async throws {
        try await meetEveryFate(.system)
    }

    func testEveryToolLivesOnOrEndsWithTheReasonThatIsTrueOnANewerPipeWire() async throws {
        try await meetEveryFate(try PipeWireInstallation.newer())
    }

    private func meetEveryFate(_ installation: PipeWireInstallation) async throws {
        for fate in Fate.allCases {
            for (tool, arguments, port) in tools {
                let daemon = try await startDaemon(installation: installation)
                let bus = try await connectClient(to: daemon.remote)
                let process = try start(tool, arguments, at: daemon.environment(client: installation))
                try await waitForPort(port, of: process, seenBy: bus)
                var old = await bus.graph.ports.first { $0.nodeName == port }?.id
                switch fate {
                case .daemonRestarted:
                    try await daemon.kill()
                    try await eventually("the interruption") { !process.errors.lines.isEmpty }
                    try await eventually("an empty graph") { await bus.graph.ports.isEmpty }
                    // The next daemon counts its serials from the beginning.
                    old = nil
                    try daemon.startAgain()
                case .clientDestroyed:
                    let app = try XCTUnwrap(port.split(separator: ".").first)
                    let id = try await clientID(of: String(app), at: daemon)
                    try await destroy(id, at: daemon)
                    try await assertOneSentence(process, from: tool, status: 1, saying: fate.sentences[0])
                    continue
                case .nodeDestroyed: try await destroy(port, at: daemon)
                }
                try await eventually("its port again") {
                    await bus.graph.ports.contains { $0.nodeName == port && $0.id != old }
                }
                try await eventually("its sentences") { process.errors.lines.count >= fate.sentences.count }
                process.signal(SIGINT)
                let ending = try await process.waitForEnd()
                XCTAssertEqual(ending, .exited(0), process.errors.text)
                XCTAssertEqual(process.errors.lines.count, fate.sentences.count, process.errors.text)
                for (line, sentence) in zip(process.errors.lines, fate.sentences) {
                    XCTAssertTrue(line.hasPrefix("\(tool): \(sentence)"), line)
                }
            }
        }
    }

    /// As it ends any program, by control-\; the recorder's file is whole.
    func testSIGQUITEndsEveryToolAtOnce() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        var processes: [ChildProcess] = []
        for (tool, arguments, port) in tools {
            // Without a file of the tool's memory; and tests in the background of a shell ignore the signal.
            let process = try start(
                tool, arguments, at: daemon.environment(),
                through: ["env", "--default-signal=QUIT", "/bin/sh", "-c", "ulimit -c 0; exec \"$@\"", "sh"])
            try await waitForPort(port, of: process, seenBy: bus)
            processes.append(process)
        }
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        try await bus.connect(source, to: "Recorder")
        let path = "\(folder)/track.wav"
        try await eventually("sound in its file") { (try? WaveFile.read(path).channels[0].count) ?? 0 > 48_000 }
        for process in processes {
            process.signal(SIGQUIT)
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .killed(signal: SIGQUIT))
            XCTAssertEqual(process.errors.text, "", process.name)
        }
        let channels = try WaveFile.read(path).channels
        XCTAssertEqual(channels.count, 2)
        for channel in channels {
            XCTAssertGreaterThan(channel.count, 48_000)
            XCTAssertTrue(channel.contains { $0 != 0 })
        }
    }

    /// As in the background of a shell.
    func testSIGQUITThatIsIgnoredStaysSo() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let process = try start(
            "tone-sender", ["--frequency", "440"], at: daemon.environment(),
            through: ["/bin/sh", "-c", "trap '' QUIT; exec \"$@\"", "sh"])
        try await waitForPort("Tone.out", of: process, seenBy: bus)
        process.signal(SIGQUIT)
        process.signal(SIGINT)
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(0), process.errors.text)
        XCTAssertEqual(process.errors.text, "")
    }

    /// As with `nohup`.
    func testAToolThatIsToOutliveItsTerminalDoes() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let ignoring = ["/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh"]
        let process = try start(
            "track-recorder", ["--output", "\(folder)/track.wav"], at: daemon.environment(), through: ignoring)
        try await waitForPort("Recorder.in", of: process, seenBy: bus)
        process.signal(SIGHUP)
        let (source, _) = try await bus.source(of: .counting, channels: .stereo)
        try await bus.connect(source, to: "Recorder")
        try await eventually("sound in its file") {
            let size = try FileManager.default.attributesOfItem(atPath: "\(self.folder)/track.wav")[.size] as? Int
            return size ?? 0 > 1000
        }
        XCTAssertNil(process.ending)
        process.signal(SIGTERM)
        let figures = try await figures(of: process)
        XCTAssertGreaterThan(Int(figures["frames"] ?? "") ?? 0, 0)
    }

    /// The kernel and a shell both report that a terminal has closed; `timeout` signals its command, and then the command's
    /// process group. The second signal does not end a tool half-way.
    func testASignalMayComeTwice() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        for number in [SIGHUP, SIGINT, SIGTERM] {
            for (tool, arguments, port) in tools {
                let process = try start(tool, arguments, at: daemon.environment())
                try await waitForPort(port, of: process, seenBy: bus)
                for _ in 0..<100 { process.signal(number) }
                let ending = try await process.waitForEnd()
                XCTAssertEqual(ending, .exited(0), "\(tool): \(process.errors.text)")
                XCTAssertEqual(process.output.lines.count, 2, process.output.text)
            }
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
