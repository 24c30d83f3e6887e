// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// Takes without `--duration`, as people make them, with sources that are older than the take.
final class OpenEndedTakeTests: ToolTestCase {
    func testSourcesOlderThanTheTakeMixedAndSeparate() async throws {
        for isSeparate in [false, true] {
            let daemon = try await startDaemon()
            let bus = try await connectClient(to: daemon.remote)
            let path = "\(folder)/take-\(isSeparate)\(isSeparate ? "" : ".wav")"
            let recorder = try start(
                "track-recorder", ["--output", path] + (isSeparate ? ["--separate"] : []), at: daemon.environment())
            try await waitForPort("Recorder.in", of: recorder, seenBy: bus)
            let tone = try start("tone-sender", ["--frequency", "440"], at: daemon.environment())
            try await waitForPort("Tone.out", of: tone, seenBy: bus)
            // With the delay that it has by default.
            let echo = try start("echo-filter", [], at: daemon.environment())
            try await waitForPort("Echo.echo", of: echo, seenBy: bus)
            try await bus.connect("Tone", to: "Echo")
            try await bus.connect("Tone", to: "Recorder")
            try await bus.connect("Echo", to: "Recorder")
            // One that is 22 s older than all that is recorded.
            let old = try await ClockSender.start("Old", latency: 1_048_576, in: daemon.environment())
            try await bus.connect("Old", to: "Recorder")
            try await waitForSound(in: isSeparate ? "\(path)/Echo echo.wav" : path)
            recorder.signal(SIGINT)
            let figures = try await figures(of: recorder)
            XCTAssertGreaterThan(Int(figures["frames"] ?? "") ?? 0, 0)
            XCTAssertEqual(figures["lost_frames"], "0")
            XCTAssertEqual(recorder.errors.text.contains("fatal"), false, recorder.errors.text)
            tone.signal(SIGINT)
            echo.signal(SIGINT)
            try await tone.waitForEnd()
            try await echo.waitForEnd()
            _ = old
        }
    }

    /// The same on the stepper, where the result is known exactly.
    func testASourceOfAMillionFramesOfLatencyIsWhereItWasMade() async throws {
        for isFirst in [true, false] {
            let bench = try await startBench(isFirst ? [] : ["--bits", "32"])
            let plain = try await bench.addSource("plain")
            let old = try await bench.addSource("old", latency: 1_048_576)
            try await bench.connect(isFirst ? old : plain)
            let begin = Int(await bench.stepper.position)
            try await bench.stepper.step(1024, cycles: 4)
            try await bench.connect(isFirst ? plain : old)
            let both = Int(await bench.stepper.position)
            try await bench.stepper.step(1024, cycles: 4)
            let end = Int(await bench.stepper.position)
            let result = try await bench.finish()
            XCTAssertEqual(result.start, isFirst ? begin - 1_048_576 : begin)
            XCTAssertEqual(result.figures["frames"], "\(end - result.start)")
            let samples = try XCTUnwrap(result.files["Test plain.wav"]).channels[0]
            assertSamples(
                samples, equal: bench.expected([(isFirst ? both : begin)..<end], in: result, count: samples.count))
            let late = try XCTUnwrap(result.files["Test old.wav"]).channels[0]
            // All of it is from before the take, unless the take begins with it.
            let made = isFirst ? [(begin - 1_048_576)..<(end - 1_048_576)] : []
            assertSamples(late, equal: bench.expected(made, in: result, count: late.count))
        }
    }

    private func waitForSound(in path: String) async throws {
        try await eventually("sound in \(path)") {
            (try? WaveFile.read(path).channels[0].count { $0 != 0 }) ?? 0 > 10_000
        }
    }
}
