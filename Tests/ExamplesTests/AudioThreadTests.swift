// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The tools' process blocks are plain Swift, which the compiler does not check for the audio thread. The preload checker
/// does: it ends a process that allocates, locks, calls the system, retains or checks exclusivity there.
final class AudioThreadTests: ToolTestCase {
    /// Builds the checker, with the compiler that Swift brings.
    private func buildChecker() async throws -> String {
        let library = "\(folder)/librtcheck.so"
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("RealtimeChecker/build.sh").path
        let build = try ChildProcess("/bin/sh", [script, library])
        let ending = try await build.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(0), build.errors.text)
        return library
    }

    func testTheToolsNeitherAllocateNorWaitNorRetainThere() async throws {
        let checker = ["LD_PRELOAD": try await buildChecker(), "RTCHECK_ALLOW_NO_SUD": "1"]
        let sound = "\(folder)/sound.wav"
        try WaveFile.write(
            TestSignal(.noise(seed: 1)).samples(count: 20_000), channelCount: 2, sampleRate: 48_000, to: sound)
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        func start(_ tool: String, _ arguments: [String], _ port: String) async throws -> ChildProcess {
            let process = try self.start(tool, arguments, at: stepper.environment(), adding: checker)
            try await waitForPort(port, of: process, seenBy: bus)
            return process
        }
        let processes = [
            try await start("track-recorder", ["--output", "\(folder)/track.wav"], "Recorder.in"),
            try await start(
                "track-recorder", ["--separate", "--name", "Tracks", "--output", "\(folder)/tracks"], "Tracks.in"),
            try await start(
                "track-recorder",
                ["--separate", "--immediate", "--name", "Raw", "--lanes", "2", "--output", "\(folder)/raw"], "Raw.in"),
            try await start("echo-filter", ["--delay", "1000", "--dry"], "Echo.echo"),
            try await start("echo-filter", ["--delay", "500", "--ping-pong", "--name", "Sides"], "Sides.echo"),
            try await start("echo-filter", ["--delay", "3000", "--name", "Late", "--channels", "1"], "Late.echo"),
            try await start("track-mixer", [], "Mixer.mix"),
            try await start("tone-sender", ["--file", sound, "--loop"], "Tone.out"),
            try await start("tone-sender", ["--frequency", "440", "--name", "Sine"], "Sine.out"),
        ]
        for (source, destination) in [
            ("Tone", "Echo"), ("Echo", "Recorder"), ("Sine", "Late"), ("Late", "Recorder"), ("Tone", "Recorder"),
            ("Late", "Tracks"), ("Tone", "Tracks"), ("Echo", "Raw"), ("Tone", "Sides"), ("Sides", "Recorder"),
            ("Tone", "Mixer.in"), ("Mixer.mix", "Recorder"),
        ] {
            try await bus.connect(source, to: destination)
        }
        try await stepper.settle()
        do {
            for frames in [1024, 16, 8192, 1000, 64] { try await stepper.step(frames, cycles: 50) }
        } catch {
            // A client that was ended by the checker finishes no cycle.
            for process in processes where process.ending != nil { XCTFail(process.errors.text) }
            throw error
        }
        // A break, after which filters start again and senders go on; and a source that is connected and disconnected.
        try await bus.disconnect("Tone", from: "Echo")
        try await bus.disconnect("Late", from: "Tracks")
        try await stepper.settle()
        try await stepper.step(256, cycles: 50)
        try await bus.connect("Tone", to: "Echo")
        try await bus.connect("Late", to: "Tracks")
        try await stepper.settle()
        try await stepper.step(256, cycles: 50)

        for process in processes { process.signal(SIGINT) }
        for process in processes {
            let ending = try await process.waitForEnd()
            let report = process.errors.text
            XCTAssertEqual(ending, .exited(0), report)
            let words = report.split(separator: " ").filter { $0.hasPrefix("scopes=") || $0.hasPrefix("violations=") }
            XCTAssertEqual(words.last, "violations=0", report)
            // A checker that never looked proves nothing.
            let scopes = words.first.flatMap { Int($0.dropFirst("scopes=".count)) } ?? 0
            XCTAssertGreaterThan(scopes, 250, report)
            XCTAssertTrue(report.contains("swift=watched"), report)
        }
    }
}
