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
        for line in ["volume 1 0.5", "volume 9 1", "volume 1 nan", "pan 1", "\u{1B}[31m"] { mixer.send(line) }
        try await eventually("five complaints") { [mixer] in mixer.errors.lines.count == 5 }
        XCTAssertTrue(mixer.errors.lines[0].contains("Nothing is connected to track 1"), mixer.errors.text)
        XCTAssertTrue(mixer.errors.lines.dropFirst().allSatisfy { $0.contains("is no command") }, mixer.errors.text)
        XCTAssertFalse(mixer.errors.text.contains("\u{1B}"))

        try await bus.connect("Tone", to: "Mixer.in")
        for line in ["volume 1 0.25", "pan 1 -1", "mute 1 on"] { mixer.send(line) }
        let expected = SourceLevel(volume: 0.25, pan: -1, isMuted: true)
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
        let kept = SourceLevel(volume: 0.25, pan: -1, isMuted: true, isSoloed: true)
        try await eventually("the level from before") { try await bus.level(of: "Tone", at: "Mixer.in") == kept }
    }

    func testAFileThatCannotBeWrittenIsRefusedAtTheStart() async throws {
        let mixer = try start("track-mixer", ["--levels", "\(folder)/nowhere/levels.json"])
        try await assertOneSentence(mixer, from: "track-mixer", status: 1, saying: "name a file in a folder")
    }

    func testAFileThatHoldsSomethingElseIsNotWrittenOver() async throws {
        let file = "\(folder)/notes.txt"
        try "my notes".write(toFile: file, atomically: true, encoding: .utf8)
        let mixer = try start("track-mixer", ["--levels", file])
        try await assertOneSentence(mixer, from: "track-mixer", status: 1, saying: "holds no levels")
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "my notes")
    }
}
