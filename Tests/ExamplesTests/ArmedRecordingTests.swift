// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import XCTest

/// `track-recorder --armed --separate`: the files have exactly the sound that was made from the first cycle after the press on.
final class ArmedRecordingTests: SeparateRecordingTestCase {
    private let cycles = [1024, 64, 8192, 1000, 17, 1024, 4096]
    private let losses = [
        "missed_frames", "dropped_frames", "gap_frames", "skipped_frames", "repeated_frames", "lost_frames",
    ]

    /// Starts an armed recorder of sources with latencies of their own, of a filter, and of both; and lets it wait a while.
    private func startLatencies(_ arguments: [String] = []) async throws -> (RecordingBench, begin: Int) {
        let bench = try await startBench(["--armed"] + arguments)
        let plain = try await bench.addSource("plain")
        let old = try await bench.addSource("old", latency: 700)
        try await bench.addDelay(3000, as: "Short")
        try await bench.addDelay(4321, as: "Long")
        try await bench.connect(plain, to: "Short")
        try await bench.connect(old, to: "Long")
        for source in ["Test:plain", "Test:old", "Short", "Long"] { try await bench.connect(source) }
        // Longer than every latency.
        try await bench.stepper.step(cycles)
        try await waitForTrigger(.alternate, of: bench.tool, seenBy: bench.bus)
        return (bench, Int(await bench.stepper.position))
    }

    /// Ends a recording that has begun.
    private func end(_ bench: RecordingBench) async throws -> RecordingBench.Result {
        try await waitForTrigger(.selected, of: bench.tool, seenBy: bench.bus)
        try await press(by: bench.bus)
        return try await bench.finish(signal: nil)
    }

    private func assertNothingIsLost(_ result: RecordingBench.Result, line: UInt = #line) {
        for key in losses {
            XCTAssertEqual(result.figures[key], "0", key, line: line)
            for (name, figures) in result.tracks { XCTAssertEqual(figures[key], "0", "\(name) \(key)", line: line) }
        }
    }

    func testEverySourceIsThereFromTheFirstFrameAfterThePressOn() async throws {
        let (bench, begin) = try await startLatencies()
        try await beginRecording(bench.tool, by: bench.bus)
        try await bench.stepper.step(cycles)
        let end = begin + cycles.reduce(0, +)
        let result = try await self.end(bench)
        XCTAssertEqual(result.start, begin)
        XCTAssertEqual(result.figures["frames"], "\(end - begin)")
        XCTAssertEqual(result.figures["files"], "4")
        assertFile("Test plain.wav", in: result, of: bench, made: [begin..<end])
        assertFile("Short echo.wav", in: result, of: bench, made: [begin..<(end - 3000)])
        assertFile("Test old.wav", in: result, of: bench, made: [begin..<(end - 700)])
        assertFile("Long echo.wav", in: result, of: bench, made: [begin..<(end - 5021)])
        assertNothingIsLost(result)
    }

    func testImmediatelyTheFilesBeginWithWhatComes() async throws {
        let (bench, begin) = try await startLatencies(["--immediate"])
        try await beginRecording(bench.tool, by: bench.bus)
        try await bench.stepper.step(cycles)
        let end = begin + cycles.reduce(0, +)
        let result = try await self.end(bench)
        XCTAssertEqual(result.start, begin)
        XCTAssertEqual(result.figures["frames"], "\(end - begin)")
        assertFile("Test plain.wav", in: result, of: bench, made: [begin..<end])
        assertFile("Short echo.wav", in: result, of: bench, made: [(begin - 3000)..<end], late: 3000)
        assertFile("Test old.wav", in: result, of: bench, made: [(begin - 700)..<end], late: 700)
        assertFile("Long echo.wav", in: result, of: bench, made: [(begin - 5021)..<end], late: 5021)
        assertNothingIsLost(result)
    }

    /// It is counted from the press, and full with the last source's sound.
    func testADurationHasTheSoundOfEverySource() async throws {
        let (bench, begin) = try await startLatencies(["--duration", "0.1"])
        try await beginRecording(bench.tool, by: bench.bus)
        try await bench.stepper.step([1024, 8192, 604])
        try await waitForTrigger(.selected, of: bench.tool, seenBy: bench.bus)
        // 4800 frames, and 5021 for the oldest source.
        try await bench.stepper.step(16)
        let result = try await bench.finish(signal: nil)
        XCTAssertEqual(result.start, begin)
        XCTAssertEqual(result.figures["frames"], "4800")
        for name in ["Test plain.wav", "Short echo.wav", "Test old.wav", "Long echo.wav"] {
            assertFile(name, in: result, of: bench, made: [begin..<(begin + 4800)])
        }
        assertNothingIsLost(result)
    }

    /// They are connected while it waits. One that comes later is silent before.
    func testNamedSourcesAreConnectedBeforeThePress() async throws {
        let bench = try await startBench([
            "--armed", "--from", "Test:plain", "--from", "Test:old", "--from", "Test:late",
        ])
        _ = try await bench.addSource("plain")
        _ = try await bench.addSource("old", latency: 700)
        try await eventually("the connections") { await bench.bus.graph.connections.count == 2 }
        try await bench.stepper.settle()
        try await bench.stepper.step(cycles)
        let begin = Int(await bench.stepper.position)
        try await beginRecording(bench.tool, by: bench.bus)
        try await bench.stepper.step(cycles)
        _ = try await bench.addSource("late", latency: 333)
        try await eventually("the late connection") { await bench.bus.graph.connections.count == 3 }
        try await bench.stepper.settle()
        let join = Int(await bench.stepper.position)
        try await bench.stepper.step(cycles)
        let end = Int(await bench.stepper.position)
        let result = try await self.end(bench)
        XCTAssertEqual(result.start, begin)
        assertFile("Test plain.wav", in: result, of: bench, made: [begin..<end])
        assertFile("Test old.wav", in: result, of: bench, made: [begin..<(end - 700)])
        assertFile("Test late.wav", in: result, of: bench, made: [(join - 333)..<(end - 333)])
        assertNothingIsLost(result)
    }

    /// Both were pressed when the trigger showed that nothing is recorded.
    func testTwoPressesAtOnceBeginOneRecording() async throws {
        let bench = try await startBench(["--armed"])
        let other = try await connectClient(to: bench.stepper.remote, as: "Other")
        try await bench.connect(try await bench.addSource("plain"))
        try await bench.stepper.step(cycles)
        let begin = Int(await bench.stepper.position)
        let (bus, recorder) = (bench.bus, try await peer("Recorder", seenBy: bench.bus))
        _ = try await peer("Recorder", seenBy: other)
        async let first: Void = bus.press("record", of: recorder)
        async let second: Void = other.press("record", of: recorder)
        _ = try await (first, second)
        try await waitUntilItWaits(bench.tool, seenBy: bench.bus)
        try await bench.stepper.step(cycles)
        try await waitForTrigger(.selected, of: bench.tool, seenBy: bench.bus)
        try await bench.stepper.step(cycles)
        let end = Int(await bench.stepper.position)
        // Both end it too. For the later one the app may be gone.
        async let last: Void? = try? bus.press("record", of: recorder)
        async let late: Void? = try? other.press("record", of: recorder)
        _ = await (last, late)
        let result = try await bench.finish(signal: nil)
        XCTAssertEqual(result.start, begin)
        assertFile("Test plain.wav", in: result, of: bench, made: [begin..<end])
        assertNothingIsLost(result)
    }

    func testAPressWhileNothingIsConnectedWaitsForTheConnection() async throws {
        let bench = try await startBench(["--armed"])
        let old = try await bench.addSource("old", latency: 700)
        let plain = try await bench.addSource("plain")
        try await beginRecording(bench.tool, by: bench.bus)
        try await press(by: bench.bus)
        try await bench.stepper.step(cycles)
        try await waitForTrigger(.alternate, of: bench.tool, seenBy: bench.bus)
        try await bench.connect(old)
        try await bench.connect(plain)
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(cycles)
        let end = Int(await bench.stepper.position)
        let result = try await self.end(bench)
        XCTAssertEqual(result.start, begin)
        assertFile("Test plain.wav", in: result, of: bench, made: [begin..<end])
        assertFile("Test old.wav", in: result, of: bench, made: [begin..<(end - 700)])
        assertNothingIsLost(result)
    }

    /// Its files have the rate that the graph has at the press.
    func testTheRateMayChangeBeforeThePress() async throws {
        let bench = try await startBench(["--armed"])
        try await bench.connect(try await bench.addSource("plain"))
        try await bench.stepper.step(1024, cycles: 3)
        await bench.stepper.setClock(0, sampleRate: 96_000)
        try await bench.stepper.step(1024, cycles: 3)
        let begin = Int(await bench.stepper.position)
        try await beginRecording(bench.tool, by: bench.bus)
        try await bench.stepper.step(1024, cycles: 3)
        let result = try await self.end(bench)
        XCTAssertEqual(result.files["Test plain.wav"]?.sampleRate, 96_000)
        XCTAssertEqual(result.start, begin)
        XCTAssertEqual(result.figures["frames"], "3072")
        assertNothingIsLost(result)
    }
}
