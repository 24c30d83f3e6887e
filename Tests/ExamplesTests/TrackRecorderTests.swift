// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

final class TrackRecorderTests: ToolTestCase {
    private let signal = TestSignal(.noise(seed: 11), gain: 0.5)

    /// A recorder of a test's source, on a graph that the test steps.
    private struct Bench {
        var stepper: GraphStepper
        var bus: BusClient
        var tool: ChildProcess
        var path: String
    }

    private func start(
        _ arguments: [String] = [], of signal: TestSignal, channels: Int = 2, through wrapper: [String] = []
    ) async throws -> Bench {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let path = "\(folder)/track.wav"
        let tool = try start(
            "track-recorder", ["--output", path, "--channels", "\(channels)"] + arguments, at: stepper.environment(),
            through: wrapper)
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        let (source, _) = try await bus.source(of: signal, channels: .channels(channels))
        try await bus.connect(source, to: "Recorder")
        try await stepper.settle()
        return Bench(stepper: stepper, bus: bus, tool: tool, path: path)
    }

    // MARK: What is in the file

    func testEverySampleIsInTheFileFromTheFirstCycleOn() async throws {
        for channels in [1, 2, 8] {
            let bench = try await start(of: signal, channels: channels)
            let position = await bench.stepper.position
            let cycles = [1024, 16, 8192, 1000, 17, 64, 8192]
            try await bench.stepper.step(cycles)
            bench.tool.signal(SIGINT)
            let figures = try await figures(of: bench.tool)
            let count = cycles.reduce(0, +)
            let file = try WaveFile.read(bench.path)
            XCTAssertEqual(file.sampleRate, 48_000)
            XCTAssertEqual(file.bits, 32)
            XCTAssertEqual(file.channels.count, channels)
            for channel in 0..<channels {
                assertSamples(
                    file.channels[channel], equal: signal.samples(count: count, channel: channel), channel: channel)
            }
            let peak = file.channels.joined().map { abs($0) }.max() ?? 0
            XCTAssertEqual(Double(figures["peak_dbfs"] ?? "")!, 20 * log10(Double(peak)), accuracy: 0.051)
            XCTAssertEqual(figures["frames"], "\(count)")
            XCTAssertEqual(figures["first_position"], "\(position)")
            XCTAssertEqual(figures["missed_frames"], "0")
            XCTAssertEqual(figures["dropped_frames"], "0")
        }
    }

    func testIntegersAreRoundedAndClipped() async throws {
        for bits in [16, 24] {
            // Beyond full scale at both ends, so that clipping shows.
            let signal = TestSignal(.noise(seed: 5), gain: 1.5)
            let bench = try await start(["--bits", "\(bits)"], of: signal)
            try await bench.stepper.step(1024, cycles: 4)
            bench.tool.signal(SIGTERM)
            _ = try await figures(of: bench.tool)
            let file = try WaveFile.read(bench.path)
            XCTAssertEqual(file.bits, bits)
            let scale = Float(1 << (bits - 1))
            for channel in 0..<2 {
                let expected = signal.samples(count: 4096, channel: channel).map { sample in
                    // Integers have one zero.
                    min(max((sample * scale).rounded(), -scale), scale - 1) / scale + 0
                }
                assertSamples(file.channels[channel], equal: expected, channel: channel)
            }
        }
    }

    func testSourcesAreSummed() async throws {
        let bench = try await start(of: TestSignal(.constant, gain: 0.25))
        let (second, _) = try await bench.bus.source("second", of: TestSignal(.constant, gain: 0.5), channels: .mono)
        try await bench.bus.connect(second, to: "Recorder")
        try await bench.stepper.settle()
        try await bench.stepper.step(1024, cycles: 4)
        bench.tool.signal(SIGINT)
        _ = try await figures(of: bench.tool)
        let file = try WaveFile.read(bench.path)
        for channel in 0..<2 {
            assertSamples(file.channels[channel], equal: [Float](repeating: 0.75, count: 4096), channel: channel)
        }
    }

    /// The mix is aligned too, unless it is not to be; and it is put where its sound was made.
    func testSourcesOfDifferentLatencyAreMixedAsTheyWereMade() async throws {
        for isImmediate in [false, true] {
            let bench = try await start(isImmediate ? ["--immediate"] : [], of: TestSignal(.constant, gain: 0))
            let begin = Int(await bench.stepper.position)
            let signal = signal
            for (name, latency) in [("plain", 0), ("old", 700)] {
                let port = try await bench.bus.sender(name, channels: .mono, latency: .frames(latency), state: ()) {
                    _, cycle, output in
                    var samples = output[0]
                    let first = 1 << 20 + UInt64(cycle.position) - UInt64(latency)
                    for frame in samples.indices {
                        samples[frame] = signal.sample(frame: first + UInt64(frame), channel: 0)
                    }
                }
                try await bench.bus.connect(port, to: "Recorder")
            }
            try await bench.stepper.settle()
            try await bench.stepper.step([1024, 16, 8192])
            bench.tool.signal(SIGINT)
            let figures = try await figures(of: bench.tool)
            XCTAssertEqual(figures["first_position"], "\(begin - (isImmediate ? 0 : 700))")
            XCTAssertEqual(figures["frames"], "9232")
            let first = 1 << 20 + UInt64(begin)
            let new = signal.samples(from: first, count: 9232)
            let old = signal.samples(from: first - 700, count: 9232)
            let silence = [Float](repeating: 0, count: 700)
            let expected = isImmediate ? zip(new, old).map(+) : zip(silence + new, old).map(+)
            for channel in try WaveFile.read(bench.path).channels { assertSamples(channel, equal: expected) }
        }
    }

    /// At control-C what waits for a slower source is left out, as the help says; a duration is filled.
    func testATakeOfADurationHasWhatWaitedForASlowerSource() async throws {
        for isTimed in [false, true] {
            let bench = try await start(isTimed ? ["--duration", "0.02"] : [], of: TestSignal(.constant, gain: 0.5))
            let old = try await bench.bus.sender("old", channels: .mono, latency: .frames(700), state: ()) { _, _, _ in
            }
            try await bench.bus.connect(old, to: "Recorder")
            try await bench.stepper.settle()
            let begin = Int(await bench.stepper.position)
            try await bench.stepper.step([512, 448])
            if !isTimed { bench.tool.signal(SIGINT) } else { try await bench.stepper.step([512]) }
            let figures = try await figures(of: bench.tool)
            XCTAssertEqual(figures["first_position"], "\(begin - 700)")
            // 960 frames arrived, of which the newest 700 still wait. The duration is as long, and full with the same cycle.
            XCTAssertEqual(figures["frames"], "960")
            let samples = try WaveFile.read(bench.path).channels[0]
            assertSamples(
                samples, equal: [Float](repeating: 0, count: 700) + [Float](repeating: 0.5, count: 260))
        }
    }

    func testWhatGoesByWhileNothingIsConnectedIsSilent() async throws {
        let bench = try await start(of: TestSignal(.constant, gain: 0.5))
        try await bench.stepper.step(1024, cycles: 2)
        try await bench.bus.disconnect("Test", from: "Recorder")
        try await bench.stepper.settle()
        try await bench.stepper.step(1000, cycles: 3)
        try await bench.bus.connect("Test", to: "Recorder")
        try await bench.stepper.settle()
        try await bench.stepper.step(1024, cycles: 2)
        bench.tool.signal(SIGINT)
        let figures = try await figures(of: bench.tool)
        XCTAssertEqual(figures["missed_frames"], "0")
        XCTAssertEqual(figures["skipped_frames"], "0")
        let part = [Float](repeating: 0.5, count: 2048)
        assertSamples(
            try WaveFile.read(bench.path).channels[0], equal: part + [Float](repeating: 0, count: 3000) + part)
    }

    /// Only well-known extensions of other formats are refused, and a folder of separate tracks may have any name.
    func testAFileMayHaveAnyOtherName() async throws {
        let daemon = try await startDaemon()
        for arguments in [["take"], ["take.bak"], [".mp3.wav"], ["mp3"], ["take.mp3", "--separate"]] {
            let path = "\(folder)/\(arguments[0])"
            let tool = try start(
                "track-recorder", ["--output", path] + arguments.dropFirst(), at: daemon.environment())
            try await tool.nextLine { $0.hasPrefix("port=Recorder.in") }
            tool.signal(SIGINT)
            _ = try await figures(of: tool)
        }
    }

    func testTwoRecordersDoNotShareAFile() async throws {
        let daemon = try await startDaemon()
        let path = "\(folder)/take.wav"
        let first = try start("track-recorder", ["--output", path], at: daemon.environment())
        try await first.nextLine { $0 == "port=Recorder.in" }
        let second = try start("track-recorder", ["--output", path], at: daemon.environment())
        try await assertOneSentence(
            second, from: "track-recorder", status: 1, saying: "is being played, or recorded into, by another program")
        first.signal(SIGINT)
        try await first.waitForEnd()
        let third = try start("track-recorder", ["--output", path], at: daemon.environment())
        try await third.nextLine { $0 == "port=Recorder.in" }
    }

    func testADurationEndsTheRecordingAtThatFrame() async throws {
        let bench = try await start(["--duration", "0.0333"], of: signal)
        try await bench.stepper.step(1024, cycles: 2)
        let figures = try await figures(of: bench.tool)
        XCTAssertEqual(figures["frames"], "1598")
        let file = try WaveFile.read(bench.path)
        assertSamples(file.channels[1], equal: signal.samples(count: 1598, channel: 1))
    }

    func testWhatWasMissedIsSilentInItsPlace() async throws {
        let daemon = try await startDaemon(.init(quantum: StoppedRecorder.quantum))
        let bus = try await connectClient(to: daemon.remote)
        let path = "\(folder)/track.wav"
        let tool = try start("track-recorder", ["--output", path, "--channels", "1"], at: daemon.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        let (source, progress) = try await bus.source(of: .counting, channels: .mono)
        try await bus.connect(source, to: "Recorder")
        try await StoppedRecorder.run(tool, recording: source)
        let figures = try await figures(of: tool)
        XCTAssertGreaterThanOrEqual(Int(figures["missed_frames"] ?? "") ?? 0, 4 * StoppedRecorder.quantum)
        let samples = try WaveFile.read(path).channels[0]
        XCTAssertEqual(figures["frames"], "\(samples.count)")
        StoppedRecorder.check(
            samples, from: try XCTUnwrap(Int(figures["first_position"] ?? "")),
            begin: Int(try XCTUnwrap(progress.firstPosition)))
    }

    // MARK: What may happen to the file

    func testAFileThatCanGrowNoMoreIsReportedAndCanBePlayed() async throws {
        // Limits at which a frame does not end.
        for (bits, limit) in [(32, 65_537), (24, 10_003), (16, 20_001)] {
            let bench = try await start(["--bits", "\(bits)"], of: signal, through: ["prlimit", "--fsize=\(limit)"])
            // The moment of its end is open, and PipeWire 0.3.65 does not end a cycle during which a client leaves.
            for _ in 0..<20 where bench.tool.ending == nil { try? await bench.stepper.step(1024, timeout: .seconds(1)) }
            try await assertOneSentence(bench.tool, from: "track-recorder", status: 1, saying: "File too large")
            let file = try WaveFile.read(bench.path)
            let count = file.channels[0].count
            let frameSize = 2 * bits / 8
            // The header takes some of it.
            XCTAssertGreaterThan(count, (limit - 1000) / frameSize)
            XCTAssertLessThanOrEqual(count, limit / frameSize)
            let expected = signal.samples(count: count, channel: 1)
            for frame in 0..<count {
                XCTAssertEqual(file.channels[1][frame], expected[frame], accuracy: bits == 16 ? 2e-5 : 1e-7)
            }
        }
    }

    func testAfterAKillTheFileCanBePlayed() async throws {
        let bench = try await start(of: signal)
        try await bench.stepper.step(1024, cycles: 10)
        try await eventually("the file to be written") {
            (try? WaveFile.read(bench.path).channels[0].count) == 10_240
        }
        bench.tool.signal(SIGKILL)
        let ending = try await bench.tool.waitForEnd()
        XCTAssertEqual(ending, .killed(signal: SIGKILL))
        let file = try WaveFile.read(bench.path)
        assertSamples(file.channels[0], equal: signal.samples(count: 10_240))
        // And nothing of it is left in the graph.
        try await eventually("the port to be gone") {
            await !bench.bus.graph.ports.contains { $0.nodeName == "Recorder.in" }
        }
    }

    func testAnotherRateEndsTheRecordingWithBothRates() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let path = "\(folder)/track.wav"
        let tool = try start("track-recorder", ["--output", path], at: daemon.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        let (source, _) = try await bus.source(of: signal, channels: .stereo)
        try await bus.connect(source, to: "Recorder")
        try await eventually("some cycles") { try await source.statistics.cycles > 4 }
        let force = try daemon.run("pw-metadata", ["-n", "settings", "0", "clock.force-rate", "96000"])
        try await force.waitForEnd()
        let sentence = try await assertOneSentence(tool, from: "track-recorder", status: 1, saying: "48000 to 96000 Hz")
        XCTAssertTrue(sentence.contains(path), sentence)
        let frames = try WaveFile.read(path).channels[0].count
        XCTAssertGreaterThan(frames, 0)
        // The recorded part is reported like any other take.
        XCTAssertTrue(tool.output.lines.last?.contains(" frames=\(frames) ") == true, tool.output.text)
    }

    /// 256 MB for what waits for the disk, and what PipeWire takes for a thousand ports.
}
