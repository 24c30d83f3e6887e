// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `track-mixer`: what it gives is in time with what it takes, and it keeps its levels.
final class TrackMixerTests: ToolTestCase {
    private func startMixer(
        _ arguments: [String] = [], at environment: [String: String], seenBy bus: BusClient
    ) async throws -> ChildProcess {
        let mixer = try start("track-mixer", arguments, at: environment)
        try await waitForPort("Mixer.mix", of: mixer, seenBy: bus)
        return mixer
    }

    func testTheMixIsInTimeWithWhatIsInIt() async throws {
        let bench = try await startBench()
        let environment = bench.stepper.environment()
        let mixer = try await startMixer(at: environment, seenBy: bench.bus)
        let late = try await ClockSender.start("Late", latency: 4800, in: environment)
        let prompt = try await ClockSender.start("Prompt", in: environment)
        try await bench.connect("Late", to: "Mixer")
        try await bench.connect("Mixer.mix")
        try await bench.connect("Prompt")
        try await bench.stepper.step(1024, cycles: 40)
        let result = try await bench.finish()
        // The mixer fades in what begins, for 5 ms; what is faded is no count.
        for (name, fade) in [("Mixer mix.wav", 240), ("Prompt.wav", 0)] {
            let channels = try XCTUnwrap(result.files[name]).channels
            let sound = channels[0].firstIndex { $0 != 0 } ?? 0
            let runs = ClockRuns(channels.map { Array($0.dropFirst(sound + fade)) })
            XCTAssertEqual(runs.offsets, [(result.start + sound + fade) & 0xFFFFF], "\(name):\n\(runs)")
            XCTAssertEqual(runs.silentFramesWithin, 0, "\(name):\n\(runs)")
            XCTAssertGreaterThan(runs.counts.last?.length ?? 0, 30_000, "\(name):\n\(runs)")
        }
        for process in [late.process, prompt.process] { process.closeInput() }
        mixer.signal(SIGINT)
        let ending = try await mixer.waitForEnd()
        XCTAssertEqual(ending, .exited(0))
        XCTAssertEqual(mixer.errors.text, "")
    }

    func testLevelsOutliveTheMixer() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let file = "\(folder)/levels.json"
        let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
        try await waitForPort("Tone.out", of: tone, seenBy: bus)
        var mixer = try await startMixer(["--levels", file], at: daemon.environment(), seenBy: bus)
        let complaints = [
            ("volume 1 0.5", "Nothing is connected to track 1"), ("volume 9 1", "is no command"),
            ("volume 1 nan", "or one of decibels such as -6dB, not \"nan\""),
            ("volume 1 -6", "or in decibels such as -6dB, not \"-6\""),
            ("pan 1 2", "from -1 (left) to 1 (right), such as -0.3"),
            ("pan 1", "is no command"), ("\u{1B}[31m", "is no command"),
        ]
        for (line, _) in complaints { mixer.send(line) }
        try await eventually("all complaints") { [mixer] in mixer.errors.lines.count == complaints.count }
        for (answer, (_, words)) in zip(mixer.errors.lines, complaints) {
            XCTAssertTrue(answer.contains(words), mixer.errors.text)
        }
        XCTAssertFalse(mixer.errors.text.contains("\u{1B}"))

        try await bus.connect("Tone", to: "Mixer.in")
        // The numbers of `pipebus volume` and `pan`.
        for (line, level) in [
            ("volume 1 -20dB", Source.Level(volume: 0.1)), ("volume 1 \u{2212}∞dB", Source.Level(volume: 0)),
            ("volume 1 50%", Source.Level(volume: 0.5)), ("volume 1 -20 dB", Source.Level(volume: 0.1)),
            ("volume 1 -inf", Source.Level(volume: 0)),
            ("volume 1 7", Source.Level()), ("pan 1 \u{2212}0.5", Source.Level(volume: 1, pan: -0.5)),
            ("pan 1 right", Source.Level(volume: 1, pan: 1)), ("pan 1 L30", Source.Level(volume: 1, pan: -0.3)),
        ] {
            mixer.send(line)
            try await eventually(line) { try await bus.level(of: "Tone", at: "Mixer.in") == level }
        }
        let remark = "track-mixer: 7 is above the highest volume, so the volume is 1 (0 dB)."
        try await eventually("a remark") { [mixer] in mixer.errors.lines.last == remark }
        for line in ["volume 1 0.25", "pan 1 -1", "mute 1 on"] { mixer.send(line) }
        let expected = Source.Level(volume: 0.25, pan: -1, isMuted: true)
        try await eventually("the level") { try await bus.level(of: "Tone", at: "Mixer.in") == expected }
        // And one that is set from elsewhere.
        let solo = try start("pipebus", ["solo", "Tone", "Mixer.in", "on"], at: daemon.environment())
        let soloEnding = try await solo.waitForEnd()
        XCTAssertEqual(soloEnding, .exited(0), solo.errors.text)
        try await eventually("the file") {
            (try? String(contentsOfFile: file, encoding: .utf8))?.contains("\"isSoloed\":true") == true
        }
        mixer.signal(SIGKILL)
        try await mixer.waitForEnd()
        try await eventually("the mixer to go") { await !bus.graph.ports.contains { $0.nodeName == "Mixer.in" } }

        mixer = try await startMixer(["--levels", file], at: daemon.environment(), seenBy: bus)
        try await bus.connect("Tone", to: "Mixer.in")
        let kept = Source.Level(volume: 0.25, pan: -1, isMuted: true, isSoloed: true)
        try await eventually("the level from before") { try await bus.level(of: "Tone", at: "Mixer.in") == kept }
    }

    func testTwoMixersDoNotShareAFile() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let file = "\(folder)/levels.json"
        let link = "\(folder)/link.json"
        XCTAssertEqual(unsafe symlink(file, link), 0)
        let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
        try await waitForPort("Tone.out", of: tone, seenBy: bus)
        var first = try await startMixer(["--levels", file], at: daemon.environment(), seenBy: bus)
        try await bus.connect("Tone", to: "Mixer.in")
        // Each change replaces the file.
        for number in 1...3 {
            first.send("volume 1 0.\(number)")
            try await eventually("the file") {
                (try? String(contentsOfFile: file, encoding: .utf8))?.contains("0.\(number)") == true
            }
            for path in [file, link] {
                let second = try start("track-mixer", ["--levels", path], at: daemon.environment())
                try await assertOneSentence(
                    second, from: "track-mixer", status: 1, saying: "is used by another track-mixer")
            }
        }
        first.signal(SIGKILL)
        try await first.waitForEnd()
        try await eventually("the mixer to go") { await !bus.graph.ports.contains { $0.nodeName == "Mixer.in" } }
        first = try await startMixer(["--levels", link], at: daemon.environment(), seenBy: bus)
        try await bus.connect("Tone", to: "Mixer.in")
        try await eventually("the level from before") {
            try await bus.level(of: "Tone", at: "Mixer.in") == Source.Level(volume: 0.3)
        }
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted(), ["levels.json", "link.json"])
    }

    func testAFileThatCannotBeWrittenIsRefusedAtTheStart() async throws {
        let mixer = try start("track-mixer", ["--levels", "\(folder)/nowhere/levels.json"])
        try await assertOneSentence(mixer, from: "track-mixer", status: 1, saying: "check the name and its folder")
    }

    func testAFileThatHoldsSomethingElseIsNotWrittenOver() async throws {
        let file = "\(folder)/notes.txt"
        try "my notes".write(toFile: file, atomically: true, encoding: .utf8)
        let mixer = try start("track-mixer", ["--levels", file])
        let sentence = try await assertOneSentence(
            mixer, from: "track-mixer", status: 1, saying: "holds no levels; name another file")
        XCTAssertFalse(sentence.contains("remove"), sentence)
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "my notes")
    }

    func testAFolderOrAPipeIsNoFileOfLevels() async throws {
        let pipe = "\(folder)/pipe"
        XCTAssertEqual(unsafe mkfifo(pipe, 0o600), 0)
        for (path, words) in [
            (folder, "is a folder; name a file"), ("\(folder)/new/", "is a folder; name a file"),
            (pipe, "is not a file"),
        ] {
            let mixer = try start("track-mixer", ["--levels", path])
            try await assertOneSentence(mixer, from: "track-mixer", status: 1, saying: words)
        }
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), ["pipe"])
    }
}
