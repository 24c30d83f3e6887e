// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

final class ToneSenderTests: ToolTestCase {
    private let signal = TestSignal(.noise(seed: 7), gain: 0.5)

    /// Writes a file of noise, a different one in each channel.
    private func makeFile(frames: Int, channels: Int, sampleRate: Int = 48_000) throws -> String {
        let path = "\(folder)/noise-\(frames)-\(channels).wav"
        let planar = (0..<channels).map { signal.samples(count: frames, channel: $0) }
        let samples = (0..<frames).flatMap { frame in planar.map { $0[frame] } }
        try WaveFile.write(samples, channelCount: channels, sampleRate: sampleRate, to: path)
        return path
    }

    /// Starts the tool, connects it to a receiver of the test, and runs the graph until the tool ends.
    private func record(
        _ arguments: [String], channels: ChannelLayout, quantum: Int = 480
    ) async throws -> (figures: [String: String], keeper: SampleKeeper) {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, keeper) = try await bus.keeper(channels: channels)
        let tool = try start("tone-sender", arguments, at: stepper.environment())
        try await waitForPort("Tone.out", of: tool, seenBy: bus)
        try await bus.connect("Tone", to: port)
        try await stepper.settle()
        // The tool ends after a tenth of a second of silence, at once or a little later; a cycle that it leaves would not
        // end, and there is none after that.
        try await eventually("the sound to be over", within: .seconds(60)) {
            try await stepper.step(quantum)
            return keeper.silenceAfterSound > 4800
        }
        return (try await figures(of: tool), keeper)
    }

    private func position(_ figures: [String: String]) throws -> UInt64 {
        try XCTUnwrap(figures["first_position"].flatMap { UInt64($0) })
    }

    func testAFileArrivesBitForBitAndIsSilentAfterwards() async throws {
        for channels in [1, 2, 8] {
            let path = try makeFile(frames: 10_007, channels: channels)
            let (figures, keeper) = try await record(["--file", path], channels: .channels(channels))
            XCTAssertEqual(figures["frames"], "10007")
            XCTAssertEqual(figures["missed_frames"], "0")
            for channel in 0..<channels {
                let came = try keeper.samples(ofChannel: channel, from: position(figures))
                assertSamples(Array(came.prefix(10_007)), equal: signal.samples(count: 10_007, channel: channel))
                XCTAssertGreaterThan(came.count, 10_007 + 4_000)
                XCTAssertFalse(came.dropFirst(10_007).contains { $0 != 0 })
            }
        }
    }

    func testALoopGoesOnUntilTheDurationIsOver() async throws {
        let path = try makeFile(frames: 1000, channels: 1)
        let (figures, keeper) = try await record(
            ["--file", path, "--loop", "--duration", "0.05", "--gain", "-6.020599913279624"], channels: .mono)
        XCTAssertEqual(figures["frames"], "2400")
        let came = try keeper.samples(ofChannel: 0, from: position(figures))
        let once = signal.samples(count: 1000).map { $0 * 0.5 }
        assertSamples(Array(came.prefix(2400)), equal: Array((once + once + once).prefix(2400)))
        XCTAssertFalse(came.dropFirst(2400).contains { $0 != 0 })
    }

    func testAToneIsASineOfThatFrequencyAndLevel() async throws {
        let (figures, keeper) = try await record(
            ["--frequency", "1234.5", "--gain", "-20", "--duration", "0.2"], channels: .mono, quantum: 333)
        let came = try keeper.samples(ofChannel: 0, from: position(figures))
        XCTAssertEqual(figures["frames"], "9600")
        for frame in 0..<9600 {
            let expected = 0.1 * sin(2 * Double.pi * 1234.5 * Double(frame) / 48_000)
            XCTAssertEqual(Double(came[frame]), expected, accuracy: 1e-7)
        }
    }

    func testAGainMayHaveItsUnit() async throws {
        let (figures, keeper) = try await record(
            ["--frequency", "12000", "--gain=-20dB", "--duration", "0.01"], channels: .mono)
        let came = try keeper.samples(ofChannel: 0, from: position(figures))
        XCTAssertEqual(came[1], 0.1, accuracy: 1e-7)
    }

    func testAFileOfAnotherRateIsRefusedWithBothRates() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, _) = try await bus.keeper(channels: .mono)
        let path = try makeFile(frames: 100, channels: 1, sampleRate: 44_100)
        let tool = try start("tone-sender", ["--file", path], at: stepper.environment())
        try await waitForPort("Tone.out", of: tool, seenBy: bus)
        try await bus.connect("Tone", to: port)
        try await stepper.settle()
        try await stepper.step(1024)
        let sentence = try await assertOneSentence(tool, from: "tone-sender", status: 1, saying: "44100 Hz")
        XCTAssertTrue(sentence.contains("48000 Hz"), sentence)
    }

    func testAToneThatTheGraphsRateCannotHoldIsRefused() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, _) = try await bus.keeper(channels: .mono)
        let tool = try start("tone-sender", ["--frequency", "24000"], at: stepper.environment())
        try await waitForPort("Tone.out", of: tool, seenBy: bus)
        try await bus.connect("Tone", to: port)
        try await stepper.settle()
        try await stepper.step(1024)
        try await assertOneSentence(tool, from: "tone-sender", status: 1, saying: "48000 Hz")
    }

    func testTheStartWaitsForChannelsThatAreLinkedOneByOne() async throws {
        let path = try makeFile(frames: 1000, channels: 2)
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (_, keeper) = try await bus.keeper(channels: .stereo)
        let tool = try start("tone-sender", ["--file", path], at: stepper.environment())
        try await waitForPort("Tone.out", of: tool, seenBy: bus)
        func link(_ channel: String) async throws {
            let process = try ChildProcess(
                "pw-link", ["Tone.out:output_\(channel)", "Test.in:input_1_\(channel)"],
                environment: stepper.environment())
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(0), process.errors.text)
            try await stepper.settle()
        }
        try await link("FL")
        // Half a second, in which a hand finds the second cable.
        try await stepper.step(480, cycles: 50)
        try await link("FR")
        try await eventually("the sound to be over", within: .seconds(60)) {
            try await stepper.step(480)
            return keeper.silenceAfterSound > 4800
        }
        let figures = try await figures(of: tool)
        for channel in 0..<2 {
            let came = try keeper.samples(ofChannel: channel, from: position(figures))
            assertSamples(Array(came.prefix(1000)), equal: signal.samples(count: 1000, channel: channel))
        }
    }

    func testNameTitleAndLatencyAreSeenByOthers() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, _) = try await bus.keeper(channels: .mono)
        let tool = try start(
            "tone-sender", ["--frequency", "440", "--name", "Flöte", "--title", "Eine Flöte", "--latency", "4800"],
            at: stepper.environment())
        try await waitForPort("Flöte.out", of: tool, seenBy: bus)
        try await bus.connect("Eine Flöte", to: port)
        try await stepper.settle()
        try await stepper.step(1024)
        let seen = try await eventualResult("the latency") {
            await port.meters.first { _ in true }?.first { $0.source.latency.frames > 0 }
        }
        XCTAssertEqual(seen.source.title, "Eine Flöte")
        XCTAssertEqual(seen.source.latency.duration, .milliseconds(100))
        let peer = await bus.graph.peers.first { $0.name == "Flöte" }
        XCTAssertEqual(peer?.applicationID, "org.pipebus.tone-sender")
    }
}
