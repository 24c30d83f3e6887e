// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// Tones; ``FileSenderTests`` has the files.
final class ToneSenderTests: ToolTestCase {
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

    /// At once, by the rate that the daemon announces.
    func testAToneThatTheGraphsRateCannotHoldIsRefused() async throws {
        let stepper = try await startStepper()
        let tool = try start("tone-sender", ["--frequency", "24000"], at: stepper.environment())
        let sentence = try await assertOneSentence(tool, from: "tone-sender", status: 1, saying: "48000 Hz")
        XCTAssertTrue(sentence.contains("take one below 24000 Hz, or give the graph a higher rate"), sentence)
        XCTAssertEqual(tool.output.text, "")
    }

    /// The rate falls while the tone is heard: silence, and never another tone.
    func testAToneThatTheGraphsNextRateCannotHoldEnds() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, keeper) = try await bus.keeper(channels: .mono)
        let tool = try start("tone-sender", ["--frequency", "12000"], at: stepper.environment())
        try await waitForPort("Tone.out", of: tool, seenBy: bus)
        try await bus.connect("Tone", to: port)
        try await stepper.settle()
        try await eventually("the tone", within: .seconds(30)) {
            try await stepper.step(480)
            return keeper.frameCount > 9600 && keeper.silenceAfterSound < 4
        }
        let before = keeper.frameCount
        await stepper.setClock(0, sampleRate: 22_050)
        // The tool leaves at any moment, and PipeWire 0.3.65 does not end a cycle during which a client does.
        for _ in 0..<20 where tool.ending == nil { try? await stepper.step(480, timeout: .seconds(1)) }
        try await assertOneSentence(
            tool, from: "tone-sender", status: 1,
            saying: "does not fit into a graph of 22050 Hz; take one below 11025 Hz")
        let after = keeper.lastSamples(ofChannel: 0, count: keeper.frameCount - before)
        XCTAssertGreaterThan(after.count, 0)
        XCTAssertFalse(after.contains { $0 != 0 })
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
