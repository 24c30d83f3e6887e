// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// `track-recorder --rate`: files of another sample rate than the graph's, which is 48 kHz.
final class RecordingRateTests: SeparateRecordingTestCase {
    private static let frequencies = [441.0, 137.3]

    /// The sound that is made at a position of the graph.
    private static func sound(at position: Double) -> Double {
        frequencies.reduce(0) { $0 + 0.25 * sin(2 * .pi * $1 * (position / 48_000)) }
    }

    private func addSine(
        _ name: String, latency: Int = 0, channels: ChannelLayout = .mono, to bus: BusClient
    ) async throws -> SenderPort {
        try await bus.sender(name, channels: channels, latency: .frames(latency), state: ()) { _, cycle, output in
            let first = Int(cycle.position) - latency
            for channel in 0..<output.count {
                var samples = output[channel]
                for frame in samples.indices { samples[frame] = Float(Self.sound(at: Double(first + frame))) }
            }
        }
    }

    /// Compares a file with the sound that was made in some ranges of the graph's time; all else is silence.
    ///
    /// - Parameter start: the position of the file's first frame.
    private func assertSines(
        _ samples: [Float], start: Int, made: [Range<Int>], rate: Int = 44_100, _ name: String, line: UInt = #line
    ) {
        let step = 48_000 / Double(rate)
        // Each source is at the nearest frame: half a frame of the steepest slope.
        let bound = 0.5 * Self.frequencies.reduce(0) { $0 + 0.25 * 2 * .pi * $1 / Double(rate) } + 0.001
        for (frame, sample) in samples.enumerated() {
            let position = Double(start) + Double(frame) * step
            let sound = Self.sound(at: position)
            let distances = made.map { range in
                min(position - Double(range.lowerBound), Double(range.upperBound) - position)
            }
            let inside = distances.max() ?? -.infinity
            // The resampler's filter rings where sound begins and ends.
            let allowed: Double? = inside > 240 ? bound : inside > 4 * step ? 0.12 : nil
            if let allowed, abs(Double(sample) - sound) > allowed {
                return XCTFail("\(name): frame \(frame) is \(sample), not \(sound)", line: line)
            }
            if inside < -2 * step, sample != 0 {
                return XCTFail("\(name): frame \(frame) is \(sample), not silent", line: line)
            }
        }
    }

    func testSeparateTracksAreAtTheirTimesWhateverTheirLatencies() async throws {
        let bench = try await startBench(["--rate", "44100"])
        let plain = try await addSine("plain", to: bench.bus)
        let old = try await addSine("old", latency: 701, to: bench.bus)
        let older = try await addSine("older", latency: 1234, to: bench.bus)
        for source in [plain, old, older] { try await bench.connect(source) }
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step([1024, 64, 8192, 1000, 17, 1024])
        let leave = Int(await bench.stepper.position)
        try await bench.disconnect(old)
        try await bench.stepper.step([1000, 4096, 333])
        let back = Int(await bench.stepper.position)
        try await bench.connect(old)
        try await bench.stepper.step([1024, 8192, 1024, 77])
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        let start = begin - 1234
        XCTAssertEqual(result.start, start)
        XCTAssertEqual(result.figures["sample_rate"], "44100")
        let frames = Double(result.figures["frames"] ?? "") ?? 0
        XCTAssertEqual(frames, Double(end - start) * 44_100 / 48_000, accuracy: 1)
        for (name, latency, made) in [
            ("plain", 0, [begin..<end]), ("old", 701, [begin..<leave, back..<end]), ("older", 1234, [begin..<end]),
        ] {
            let file = try XCTUnwrap(result.files["Test \(name).wav"])
            XCTAssertEqual(file.sampleRate, 44_100)
            XCTAssertEqual(file.channels.count, 1)
            assertSines(
                file.channels[0], start: start,
                made: made.map { $0.lowerBound - latency..<$0.upperBound - latency }, name)
            let figures = result.tracks["Test \(name).wav"] ?? [:]
            for key in ["missed_frames", "dropped_frames", "skipped_frames", "repeated_frames", "lost_frames"] {
                XCTAssertEqual(figures[key], "0", "\(name) \(key)")
            }
            let gap = Double(figures["gap_frames"] ?? "") ?? -1
            XCTAssertEqual(gap, name == "old" ? Double(back - leave) * 44_100 / 48_000 : 0, accuracy: 2, name)
        }
    }

    func testAnArmedRecordingBeginsAtThePress() async throws {
        let bench = try await startBench(["--rate", "44100", "--armed"])
        let plain = try await addSine("plain", to: bench.bus)
        let old = try await addSine("old", latency: 701, to: bench.bus)
        for source in [plain, old] { try await bench.connect(source) }
        try await bench.stepper.step([1024, 64, 8192])
        let begin = Int(await bench.stepper.position)
        try await beginRecording(bench.tool, by: bench.bus)
        try await bench.stepper.step([1024, 64, 8192, 1000, 17, 1024])
        let end = Int(await bench.stepper.position)
        try await waitForTrigger(.selected, of: bench.tool, seenBy: bench.bus)
        try await press(by: bench.bus)
        let result = try await bench.finish(signal: nil)
        XCTAssertEqual(result.start, begin)
        let frames = Double(result.figures["frames"] ?? "") ?? 0
        XCTAssertEqual(frames, Double(end - begin) * 44_100 / 48_000, accuracy: 1)
        for (name, latency) in [("plain", 0), ("old", 701)] {
            let file = try XCTUnwrap(result.files["Test \(name).wav"])
            XCTAssertEqual(file.sampleRate, 44_100)
            // The older source's resampler has run since before the start.
            assertSines(file.channels[0], start: begin, made: [begin - latency..<end - latency], name)
            let figures = result.tracks["Test \(name).wav"] ?? [:]
            for key in ["missed_frames", "dropped_frames", "gap_frames", "skipped_frames", "repeated_frames"] {
                XCTAssertEqual(figures[key], "0", "\(name) \(key)")
            }
        }
    }

    /// The resampler's last frames are in the file, which has the rate in its header.
    func testADurationIsInFramesOfTheFile() async throws {
        for (name, rate) in [
            ("take.flac", 44_100), ("take.wav", 44_100), ("high.flac", 384_000), ("high.wav", 384_000),
            ("low.wav", 8000),
        ] {
            let stepper = try await startStepper()
            let bus = try await connectClient(to: stepper.remote)
            let path = "\(folder)/\(name)"
            let tool = try start(
                "track-recorder", ["--output", path, "--rate", "\(rate)", "--duration", "0.5"],
                at: stepper.environment())
            try await waitForPort("Recorder.in", of: tool, seenBy: bus)
            let source = try await addSine("out", channels: .stereo, to: bus)
            try await bus.connect(source, to: "Recorder")
            try await stepper.settle()
            let begin = Int(await stepper.position)
            // No more than the duration: what the resampler holds back comes from the end of the recording.
            try await stepper.step([8000, 8000, 8000])
            let figures = try await figures(of: tool)
            XCTAssertEqual(figures["frames"], "\(rate / 2)", name)
            XCTAssertEqual(figures["sample_rate"], "\(rate)")
            let clip = try AudioClip(contentsOf: path)
            XCTAssertEqual(clip.sampleRate, rate)
            XCTAssertEqual(clip.frameCount, rate / 2)
            for channel in 0..<2 {
                let samples = stride(from: channel, to: clip.samples.count, by: 2).map { clip.samples[$0] }
                assertSines(samples, start: begin, made: [begin..<begin + 24_000], rate: rate, name)
            }
        }
    }

    func testTheGraphsOwnRateChangesNoSample() async throws {
        let bench = try await startBench(["--rate", "48000"])
        let plain = try await bench.addSource("plain")
        let old = try await bench.addSource("old", latency: 701)
        for source in [plain, old] { try await bench.connect(source) }
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step([1024, 64, 8192])
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(result.figures["frames"], "\(end - begin + 701)")
        assertFile("Test plain.wav", in: result, of: bench, made: [begin..<end])
        assertFile("Test old.wav", in: result, of: bench, made: [(begin - 701)..<(end - 701)])
    }

    /// All sound from before the change is in the file.
    func testAnotherRateOfTheGraphEndsTheRecording() async throws {
        let bench = try await startBench(["--rate", "44100"])
        try await bench.connect(try await addSine("plain", to: bench.bus))
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step([1024, 8192, 1024])
        await bench.stepper.setClock(0, sampleRate: 96_000)
        try await bench.stepper.step(1024, cycles: 3)
        let figures = try await figures(of: bench.tool, ending: .exited(1))
        XCTAssertTrue(
            bench.tool.errors.text.contains("went from 48000 to 96000 Hz, and the places of a recording are counted"),
            bench.tool.errors.text)
        XCTAssertEqual(Double(figures["frames"] ?? "") ?? 0, 10_240 * 44_100 / 48_000, accuracy: 1)
        let file = try WaveFile.read("\(bench.path)/Test plain.wav")
        XCTAssertEqual(file.sampleRate, 44_100)
        assertSines(file.channels[0], start: begin, made: [begin..<begin + 10_240], "plain")
    }
}
