// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// The trigger of a recorder that is not armed: what it shows, and the end of a recording by a press.
final class RecordTriggerTests: ToolTestCase {
    private let signal = TestSignal(.noise(seed: 31), gain: 0.5)

    func testTheTriggerShowsTheRecordingAndEndsItInOrder() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let path = "\(folder)/take.wav"
        let tool = try start("track-recorder", ["--output", path], at: stepper.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        let first = try await trigger(seenBy: bus)
        XCTAssertEqual(first.kind, .record)
        XCTAssertEqual(first.state, .alternate)
        XCTAssertEqual(first.face.title, "Waiting for sound")
        // It waits for a connection, and begins with it.
        try await press(by: bus)
        let (source, _) = try await bus.source(of: signal, channels: .stereo)
        try await bus.connect(source, to: "Recorder")
        try await stepper.settle()
        let waiting = try await trigger(seenBy: bus)
        XCTAssertEqual(waiting.state, .alternate, "no cycle has come")
        let begin = await stepper.position
        try await stepper.step([1024, 16, 8192])
        try await waitForTrigger(.selected, of: tool, seenBy: bus)
        let recording = try await trigger(seenBy: bus)
        XCTAssertEqual(recording.face.title, "Record")
        try await stepper.step([1000, 17])
        try await press(by: bus)
        let figures = try await figures(of: tool)
        XCTAssertEqual(tool.errors.text, "")
        XCTAssertEqual(figures["first_position"], "\(begin)")
        XCTAssertEqual(figures["frames"], "10249")
        let file = try WaveFile.read(path)
        for channel in 0..<2 {
            assertSamples(file.channels[channel], equal: signal.samples(count: 10_249, channel: channel))
        }
        try await eventually("it to be gone") { await !bus.graph.peers.contains { $0.name == "Recorder" } }
    }

    /// Nothing is left out by a source that leaves, or of a recorder whose sources all have left.
    func testARecordingWithoutASourceIsStillOne() async throws {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let path = "\(folder)/take.wav"
        let tool = try start("track-recorder", ["--output", path], at: stepper.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        let (source, _) = try await bus.source(of: signal, channels: .stereo)
        try await bus.connect(source, to: "Recorder")
        try await stepper.settle()
        try await stepper.step(1024)
        try await waitForTrigger(.selected, of: tool, seenBy: bus)
        try await bus.disconnect(source, from: "Recorder")
        try await stepper.settle()
        let state = try await trigger(seenBy: bus).state
        XCTAssertEqual(state, .selected)
        try await press(by: bus)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["frames"], "1024")
    }

    /// The press is answered, though the app that answers ends; and the trigger comes back with a new daemon.
    func testAPressEndsARecordingOverARestart() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let path = "\(folder)/take.wav"
        let tool = try start("track-recorder", ["--output", path], at: daemon.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        let (source, _) = try await bus.source(of: signal, channels: .stereo)
        try await bus.connect(source, to: "Recorder")
        try await waitForTrigger(.selected, of: tool, seenBy: bus)
        try await daemon.kill()
        try await eventually("the interruption") { tool.errors.lines.count == 1 }
        try await eventually("an empty graph") { await bus.graph.peers.isEmpty }
        try daemon.startAgain()
        try await eventually("both to be back") {
            let count = await bus.graph.connections.count
            return tool.errors.lines.count == 2 && count == 1
        }
        try await waitForTrigger(.selected, of: tool, seenBy: bus)
        try await press(by: bus)
        let figures = try await figures(of: tool)
        let count = try WaveFile.read(path).channels[0].count
        XCTAssertEqual(figures["frames"], "\(count)")
        XCTAssertGreaterThan(count, 0)
    }
}
