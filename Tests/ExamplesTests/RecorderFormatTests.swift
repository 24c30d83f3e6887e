// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// The formats of `track-recorder`'s files.
final class RecorderFormatTests: ToolTestCase {
    private let signal = TestSignal(.noise(seed: 12), gain: 0.5)

    /// Starts a recorder of a test's source, on a graph that the test steps.
    private func start(_ arguments: [String], into name: String) async throws -> (GraphStepper, ChildProcess, String) {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let path = "\(folder)/\(name)"
        let tool = try start("track-recorder", ["--output", path] + arguments, at: stepper.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        let (source, _) = try await bus.source(of: signal, channels: .stereo)
        try await bus.connect(source, to: "Recorder")
        try await stepper.settle()
        return (stepper, tool, path)
    }

    private func expected(_ count: Int, bits: Int) -> [Float] {
        let scale = Float(1 << (bits - 1))
        let channels = (0..<2).map { signal.samples(count: count, channel: $0) }
        return (0..<2 * count).map { (channels[$0 % 2][$0 / 2] * scale).rounded() / scale + 0 }
    }

    func testAFLACFileHasEverySample() async throws {
        for (arguments, bits) in [([], 24), (["--bits", "16"], 16), (["--format", "flac", "--bits", "24"], 24)] {
            let (stepper, tool, path) = try await start(arguments, into: "take-\(arguments.count).flac")
            try await stepper.step([1024, 16, 8192, 1000, 17])
            tool.signal(SIGINT)
            let figures = try await figures(of: tool)
            XCTAssertEqual(figures["frames"], "10249")
            XCTAssertEqual(
                try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: 4), Data("fLaC".utf8))
            let clip = try AudioClip(contentsOf: path)
            XCTAssertEqual(clip.sampleRate, 48_000)
            assertSamples(clip.samples, equal: expected(10_249, bits: bits))
        }
    }

    func testAFLACFileOfAKilledRecorderCanBePlayed() async throws {
        let (stepper, tool, path) = try await start([], into: "take.flac")
        try await stepper.step(1024, cycles: 20)
        // Four of five blocks at least: the encoder keeps the last one.
        try await eventually("the blocks") { ((try? AudioClip(contentsOf: path).frameCount) ?? 0) >= 16_384 }
        tool.signal(SIGKILL)
        try await tool.waitForEnd()
        let clip = try AudioClip(contentsOf: path)
        assertSamples(clip.samples, equal: Array(expected(20_480, bits: 24)[..<clip.samples.count]))
    }

    func testAnRF64FileIsOneFromTheBeginning() async throws {
        for (arguments, name) in [([], "take.rf64"), (["--format", "rf64"], "take.wav")] {
            let (stepper, tool, path) = try await start(arguments, into: name)
            try await stepper.step(1024, cycles: 4)
            try await eventually("the sound") { (try? WaveFile.read(path).channels[0].count) == 4096 }
            tool.signal(SIGINT)
            _ = try await figures(of: tool)
            XCTAssertEqual(
                try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: 4), Data("RF64".utf8))
            let file = try WaveFile.read(path)
            XCTAssertEqual(file.bits, 32)
            for channel in 0..<2 {
                assertSamples(file.channels[channel], equal: signal.samples(count: 4096, channel: channel))
            }
            XCTAssertEqual(try AudioClip(contentsOf: path).frameCount, 4096)
        }
    }

    /// A file is closed while its source is away, and gone on with when it is back.
    func testSeparateFLACFilesAreAsLongAsEachOther() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let path = "\(folder)/take"
        let tool = try start(
            "track-recorder", ["--separate", "--format", "flac", "--output", path, "--from", "Lead", "--from", "Pad"],
            at: daemon.environment())
        try await waitForPort("Recorder.in", of: tool, seenBy: bus)
        func frameCount(_ name: String) -> Int { (try? AudioClip(contentsOf: "\(path)/\(name)").frameCount) ?? 0 }
        let lead = try await connectClient(to: daemon.remote, as: "Lead")
        _ = try await lead.source(of: .counting, channels: .mono)
        for _ in 0..<2 {
            let pad = try await connectClient(to: daemon.remote, as: "Pad")
            _ = try await pad.source(of: .counting, channels: .stereo)
            let before = frameCount("Pad out.flac")
            try await eventually("more of it") { frameCount("Pad out.flac") > before }
            await pad.close()
        }
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["files"], "2")
        XCTAssertEqual(tool.errors.text, "")
        for name in ["Lead out.flac", "Pad out.flac"] { XCTAssertEqual("\(frameCount(name))", figures["frames"], name) }
    }
}
