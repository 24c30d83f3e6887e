// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// `track-recorder --separate`: the places of sources with different latencies.
final class SeparateAlignmentTests: SeparateRecordingTestCase {
    private let cycles = [1024, 64, 8192, 1000, 17, 1024, 4096]

    /// Sources of different latency: their own, that of a filter, and of both.
    private func recordLatencies(_ arguments: [String]) async throws -> (RecordingBench, RecordingBench.Result, Int) {
        let bench = try await startBench(arguments)
        let plain = try await bench.addSource("plain")
        let old = try await bench.addSource("old", latency: 700)
        try await bench.addDelay(3000, as: "Short")
        try await bench.addDelay(4321, as: "Long")
        try await bench.connect(plain, to: "Short")
        try await bench.connect(old, to: "Long")
        try await bench.connect(plain)
        try await bench.connect(old)
        try await bench.connect("Short")
        try await bench.connect("Long")
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(cycles)
        return (bench, try await bench.finish(), begin)
    }

    func testSourcesOfDifferentLatencyAreTheSameFrameForFrame() async throws {
        let (bench, result, begin) = try await recordLatencies([])
        let count = cycles.reduce(0, +)
        XCTAssertEqual(result.start, begin - 700 - 4321)
        XCTAssertEqual(result.figures["frames"], "\(count + 5021)")
        XCTAssertEqual(result.figures["files"], "4")
        // From where each made its first frame to where it made its last.
        let end = begin + count
        assertFile("Test plain.wav", in: result, of: bench, made: [begin..<end])
        assertFile("Short echo.wav", in: result, of: bench, made: [begin..<(end - 3000)])
        assertFile("Test old.wav", in: result, of: bench, made: [(begin - 700)..<(end - 700)])
        assertFile("Long echo.wav", in: result, of: bench, made: [(begin - 700)..<(end - 5021)])
        for key in ["missed_frames", "dropped_frames", "skipped_frames"] { XCTAssertEqual(result.figures[key], "0") }
    }

    func testImmediatelyEachIsOffByItsLatency() async throws {
        let (bench, result, begin) = try await recordLatencies(["--immediate"])
        let count = cycles.reduce(0, +)
        XCTAssertEqual(result.start, begin)
        let end = begin + count
        assertFile("Test plain.wav", in: result, of: bench, made: [begin..<end])
        assertFile("Short echo.wav", in: result, of: bench, made: [begin..<end], late: 3000)
        assertFile("Test old.wav", in: result, of: bench, made: [(begin - 700)..<end], late: 700)
        assertFile("Long echo.wav", in: result, of: bench, made: [(begin - 700)..<end], late: 5021)
    }

    /// A device stands still, another one takes over at another position: the time between is silence, to the frame.
    func testChangesOfTheClockAreSilenceOfTheTimeThatPassed() async throws {
        let bench = try await startBench()
        let plain = try await bench.addSource("plain")
        let old = try await bench.addSource("old", latency: 700)
        for source in [plain, old] { try await bench.connect(source) }
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(cycles)
        let first = begin + cycles.reduce(0, +)
        await bench.stepper.moveClock(after: .seconds(2))
        let second = first + 96_000
        try await bench.stepper.step(cycles)
        await bench.stepper.moveClock(to: 77, after: .milliseconds(500))
        let third = second + cycles.reduce(0, +) + 24_000
        try await bench.stepper.step(cycles)
        let end = third + cycles.reduce(0, +)
        let result = try await bench.finish()
        XCTAssertEqual(result.start, begin - 700)
        XCTAssertEqual(result.figures["frames"], "\(end - begin + 700)")
        let made = [begin..<first, second..<second + first - begin, third..<end]
        assertFile("Test plain.wav", in: result, of: bench, made: made)
        assertFile("Test old.wav", in: result, of: bench, made: made.map { $0.lowerBound - 700..<$0.upperBound - 700 })
        for key in ["missed_frames", "dropped_frames", "repeated_frames"] {
            XCTAssertEqual(result.figures[key], "0", key)
        }
    }

    /// The example sender's `--latency` says how much older its first frame is.
    func testTheSameSoundFromSendersOfDifferentLatency() async throws {
        let bench = try await startBench()
        let sound = TestSignal(.noise(seed: 4)).samples(count: 6000)
        try WaveFile.write(sound, channelCount: 1, sampleRate: 48_000, to: "\(folder)/sound.wav")
        var senders: [(name: String, latency: Int, process: ChildProcess, keeper: SampleKeeper)] = []
        for (name, latency) in [("A", 0), ("B", 333), ("C", 2000)] {
            let arguments = ["--file", "\(folder)/sound.wav", "--loop", "--name", name, "--latency", "\(latency)"]
            let process = try start("tone-sender", arguments, at: bench.stepper.environment())
            try await process.nextLine { $0 == "port=\(name).out" }
            try await bench.connect(name)
            let (port, keeper) = try await bench.bus.keeper("hears \(name)", channels: .mono)
            try await bench.bus.connect(name, to: port)
            try await bench.stepper.settle()
            senders.append((name, latency, process, keeper))
        }
        // They wait a tenth of a second; then some rounds.
        try await eventually("the sound of all", within: .seconds(30)) {
            try await bench.stepper.step(1024)
            return senders.allSatisfy { ((try? $0.keeper.sound())?[0].count ?? 0) > 15_000 }
        }
        let result = try await bench.finish()
        for (name, latency, process, keeper) in senders {
            process.signal(SIGINT)
            let sent = try await figures(of: process)
            XCTAssertEqual(sent["underruns"], "0")
            let first = Int(try XCTUnwrap(keeper.firstPosition)) + keeper.frameCount - (try keeper.sound()[0].count)
            let file = try XCTUnwrap(result.files["\(name) out.wav"])
            XCTAssertEqual(file.channels.count, 1, "a mono source")
            let place = first - latency - result.start
            let samples = file.channels[0]
            XCTAssertGreaterThan(samples.count, place + 12_000)
            // The newest of it was made before the last cycle.
            let made = place..<(samples.count - latency)
            assertSamples(
                samples, equal: samples.indices.map { made.contains($0) ? sound[($0 - place) % 6000] : 0 })
        }
    }

    /// A recorder needs no live delay: no source waits for a slower one, so none is disturbed when that leaves.
    func testASlowerSourceThatComesAndGoesTouchesNoOther() async throws {
        let bench = try await startBench()
        let plain = try await bench.addSource("plain")
        let slow = try await bench.addSource("slow", latency: 12_000)
        try await bench.connect(plain)
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(1024, cycles: 8)
        let join = Int(await bench.stepper.position)
        try await bench.connect(slow)
        try await bench.stepper.step(1024, cycles: 20)
        let leave = Int(await bench.stepper.position)
        try await bench.disconnect(slow)
        try await bench.stepper.step(1024, cycles: 8)
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(result.start, begin)
        XCTAssertEqual(result.figures["frames"], "\(end - begin)")
        assertFile("Test plain.wav", in: result, of: bench, made: [begin..<end])
        // Sound from before the recording began is left out.
        assertFile("Test slow.wav", in: result, of: bench, made: [begin..<(leave - 12_000)])
        XCTAssertLessThan(join - 12_000, begin)
        for figure in ["skipped_frames", "repeated_frames", "missed_frames", "lost_frames"] {
            XCTAssertEqual(result.figures[figure], "0", figure)
        }
    }

    /// The sound goes on where it was made: what comes a second time is left out, what is left out is silent.
    func testALatencyThatChangesLeavesEverythingAtItsPlace() async throws {
        let bench = try await startBench()
        let plain = try await bench.addSource("plain")
        let latency = Atomic<Int>(0)
        let signal = bench.signal
        let moving = try await bench.bus.sender("moving", state: ()) { _, cycle, output in
            let first = UInt64(1 << 24 + Int(cycle.position) - latency.load(ordering: .relaxed))
            for channel in 0..<output.count {
                var samples = output[channel]
                for frame in samples.indices {
                    samples[frame] = signal.sample(frame: first + UInt64(frame), channel: channel)
                }
            }
        }
        try await bench.connect(plain)
        try await bench.connect(moving)
        let begin = Int(await bench.stepper.position)
        var changes: [Int] = []
        for frames in [0, 700, 200] {
            latency.store(frames, ordering: .relaxed)
            try await moving.setLatency(.frames(frames))
            try await bench.stepper.settle()
            changes.append(Int(await bench.stepper.position))
            try await bench.stepper.step(1024, cycles: 4)
        }
        // A latency that falls is believed a moment later, until when the sound is put where it was before.
        // Not as fast as the stepper can: the recorder holds a few hundred cycles that are not on the disk yet.
        let deadline = ContinuousClock.now + .milliseconds(300)
        try await eventually("the lower latency") {
            try await bench.stepper.step(1024)
            return ContinuousClock.now > deadline
        }
        let end = Int(await bench.stepper.position)
        try await bench.stepper.step(1024, cycles: 4)
        let result = try await bench.finish()
        assertFile("Test plain.wav", in: result, of: bench, made: [begin..<(end + 4096)])
        let samples = try XCTUnwrap(result.files["Test moving.wav"]).channels[0]
        let expected = bench.expected([begin..<(end + 4096 - 200)], in: result, count: samples.count)
        let fall = changes[2] - 700 - begin
        assertSamples(Array(samples[..<fall]), equal: Array(expected[..<fall]))
        assertSamples(Array(samples[(end - begin)...]), equal: Array(expected[(end - begin)...]))
        XCTAssertEqual(result.tracks["Test moving.wav"]?["skipped_frames"], "500")
        XCTAssertEqual(result.tracks["Test moving.wav"]?["repeated_frames"], "700")
        XCTAssertEqual(result.tracks["Test plain.wav"]?["skipped_frames"], "0")
    }
}
