// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// `track-recorder --armed` with a mix, and what is left of a recorder that never began.
final class ArmedMixTests: ToolTestCase {
    private let signal = TestSignal(.noise(seed: 12), gain: 0.25)

    private struct Bench {
        var stepper: GraphStepper
        var bus: BusClient
        var tool: ChildProcess
        var path: String
    }

    /// Starts an armed recorder of sources that all play the sound of a position of the graph, at their latencies.
    private func start(_ arguments: [String] = [], latencies: [Int], output: String = "take.wav") async throws -> Bench
    {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let path = "\(folder)/\(output)"
        let tool = try start(
            "track-recorder", ["--armed", "--output", path] + arguments, at: stepper.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        let signal = signal
        for latency in latencies {
            let port = try await bus.sender("old by \(latency)", channels: .mono, latency: .frames(latency), state: ())
            {
                _, cycle, output in
                var samples = output[0]
                let first = 1 << 20 + UInt64(cycle.position) - UInt64(latency)
                for frame in samples.indices {
                    samples[frame] = signal.sample(frame: first + UInt64(frame), channel: 0)
                }
            }
            try await bus.connect(port, to: "Recorder")
        }
        try await stepper.settle()
        try await stepper.step([1024, 16, 8192])
        return Bench(stepper: stepper, bus: bus, tool: tool, path: path)
    }

    private func assertTheSumOfTwo(_ bench: Bench, from begin: UInt64, count: Int, line: UInt = #line) throws {
        let expected = signal.samples(from: 1 << 20 + begin, count: count).map { $0 + $0 }
        for channel in try WaveFile.read(bench.path).channels { assertSamples(channel, equal: expected, line: line) }
    }

    /// What waited for the slower source was made before the press.
    func testTheMixBeginsWithSoundFromAfterThePress() async throws {
        let bench = try await start(latencies: [0, 700])
        let begin = await bench.stepper.position
        try await beginRecording(bench.tool, by: bench.bus)
        try await bench.stepper.step([512, 17, 8192])
        try await waitForTrigger(.selected, of: bench.tool, seenBy: bench.bus)
        try await press(by: bench.bus)
        let figures = try await figures(of: bench.tool)
        XCTAssertEqual(figures["first_position"], "\(begin)")
        XCTAssertEqual(figures["frames"], "8021", "the newest 700 still wait")
        for key in ["missed_frames", "dropped_frames", "gap_frames", "skipped_frames", "repeated_frames"] {
            XCTAssertEqual(figures[key], "0", key)
        }
        try assertTheSumOfTwo(bench, from: begin, count: 8021)
    }

    func testADurationIsCountedFromThePress() async throws {
        let bench = try await start(["--duration", "0.02"], latencies: [0, 700])
        let begin = await bench.stepper.position
        try await beginRecording(bench.tool, by: bench.bus)
        // 960 frames, and the 700 that the slower source is late.
        try await bench.stepper.step([1024, 619])
        try await waitForTrigger(.selected, of: bench.tool, seenBy: bench.bus)
        try await bench.stepper.step(17)
        let figures = try await figures(of: bench.tool)
        XCTAssertEqual(figures["first_position"], "\(begin)")
        XCTAssertEqual(figures["frames"], "960")
        try assertTheSumOfTwo(bench, from: begin, count: 960)
    }

    // MARK: Nothing

    /// Of a recording that ends before its first frame comes, no file is left.
    func testARecordingThatEndsBeforeItsSoundComesLeavesNothing() async throws {
        for arguments in [[], ["--separate"], ["--rate", "44100"]] {
            let bench = try await start(arguments, latencies: [5000], output: "take\(arguments.joined()).wav")
            try await beginRecording(bench.tool, by: bench.bus)
            try await bench.stepper.step([1024, 1024])
            try await waitForTrigger(.selected, of: bench.tool, seenBy: bench.bus)
            try await press(by: bench.bus)
            let figures = try await figures(of: bench.tool)
            XCTAssertEqual(figures["frames"], "0")
            XCTAssertEqual(figures["files"], "0")
            XCTAssertEqual(figures["first_position"], "none")
            XCTAssertFalse(FileManager.default.fileExists(atPath: bench.path))
        }
    }

    func testASignalWhileItIsArmedLeavesNothing() async throws {
        let old = "\(folder)/old.wav"
        try WaveFile.write([0.5, 0.25], channelCount: 1, sampleRate: 48_000, to: old)
        let content = try Data(contentsOf: URL(fileURLWithPath: old))
        for (arguments, output) in [([], "take.wav"), (["--separate"], "take"), ([], "old.wav")] {
            for isPressed in [false, true] {
                let bench = try await start(arguments, latencies: isPressed ? [] : [0], output: output)
                if isPressed { try await beginRecording(bench.tool, by: bench.bus) }
                bench.tool.signal(SIGINT)
                let figures = try await figures(of: bench.tool)
                XCTAssertEqual(bench.tool.errors.text, "")
                XCTAssertEqual(figures["frames"], "0")
                XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), ["old.wav"])
            }
        }
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: old)), content)
    }

    // MARK: Restarts

    func testARestartWhileItIsArmed() async throws { try await restart(.system) }
    func testARestartWhileItIsArmedWithANewerPipeWire() async throws { try await restart(.newer()) }

    /// It stays armed, and records from the press on: the time without a daemon is not in the file.
    private func restart(_ installation: PipeWireInstallation) async throws {
        let daemon = try await startDaemon(installation: installation)
        let bus = try await connectClient(to: daemon.remote)
        let path = "\(folder)/take.wav"
        let tool = try start(
            "track-recorder", ["--armed", "--output", path, "--channels", "1"],
            at: daemon.environment(client: installation))
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        // Each sample is the number of frames before it.
        let frames = Atomic<Int>(0)
        let source = try await bus.sender("out", channels: .mono, state: ()) { _, cycle, output in
            let first = frames.load(ordering: .relaxed) + cycle.missedFrames
            output.fill(0) { Float(first + $0) }
            frames.store(first + cycle.frameCount, ordering: .relaxed)
        }
        try await bus.connect(source, to: "Recorder")
        func run() async throws {
            let count = frames.load(ordering: .relaxed)
            try await eventually("some cycles") { frames.load(ordering: .relaxed) > count + 12_000 }
        }
        try await run()
        try await daemon.kill()
        try await eventually("the interruption") { tool.errors.lines.count == 1 }
        try await eventually("an empty graph") { await bus.graph.peers.isEmpty }
        try daemon.startAgain()
        try await eventually("both to be back") {
            let count = await bus.graph.connections.count
            return tool.errors.lines.count == 2 && count == 1
        }
        try await run()
        try await waitForTrigger(.alternate, of: tool, seenBy: bus)
        let pressed = frames.load(ordering: .relaxed)
        try await press(by: bus)
        try await waitForTrigger(.selected, of: tool, seenBy: bus)
        try await eventually("sound in the file") { ((try? WaveFile.read(path).channels[0].count) ?? 0) > 4800 }
        try await press(by: bus)
        let figures = try await figures(of: tool)
        let samples = try WaveFile.read(path).channels[0]
        XCTAssertEqual(figures["frames"], "\(samples.count)")
        let first = Int(try XCTUnwrap(samples.first))
        XCTAssertGreaterThanOrEqual(first, pressed)
        // A busy machine may lose cycles meanwhile.
        if figures["missed_frames"] == "0", figures["gap_frames"] == "0" {
            assertSamples(samples, equal: samples.indices.map { Float(first + $0) })
        }
    }
}
