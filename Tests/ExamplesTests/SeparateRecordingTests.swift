// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// `track-recorder --separate`: who is in which file, and where.
final class SeparateRecordingTests: ToolTestCase {
    private func assertFile(
        _ name: String, in result: RecordingBench.Result, of bench: RecordingBench, made: [Range<Int>], late: Int = 0,
        channels: Int = 2, line: UInt = #line
    ) {
        guard let file = result.files[name] else { return XCTFail("no \(name) in \(result.files.keys)", line: line) }
        XCTAssertEqual(file.channels.count, channels, line: line)
        for (channel, samples) in file.channels.enumerated() {
            let expected = bench.expected(
                made, channel: channel, in: result, count: samples.count, late: late)
            assertSamples(samples, equal: expected, channel: channel, line: line)
        }
    }

    // MARK: Alignment

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

    /// The example sender says where it sent its first frame, and its `--latency` how much older that is.
    func testTheSameSoundFromSendersOfDifferentLatency() async throws {
        let bench = try await startBench()
        let sound = TestSignal(.noise(seed: 4)).samples(count: 6000)
        try WaveFile.write(sound, channelCount: 1, sampleRate: 48_000, to: "\(folder)/sound.wav")
        var senders: [(name: String, latency: Int, process: ChildProcess)] = []
        for (name, latency) in [("A", 0), ("B", 333), ("C", 2000)] {
            let arguments = ["--file", "\(folder)/sound.wav", "--loop", "--name", name, "--latency", "\(latency)"]
            let process = try start("tone-sender", arguments, at: bench.stepper.environment())
            try await process.nextLine { $0 == "port=\(name).out" }
            try await bench.connect(name)
            senders.append((name, latency, process))
        }
        // A tenth of a second until they begin, and some rounds.
        try await bench.stepper.step(1024, cycles: 30)
        let result = try await bench.finish()
        for (name, latency, process) in senders {
            process.signal(SIGINT)
            let sent = try await figures(of: process)
            let first = try XCTUnwrap(Int(sent["first_position"] ?? ""))
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

    /// A recorder needs no live delay: nobody waits for a slower source, so nobody has anything of its leaving.
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
        // What it made before the recording began is left out.
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
        let patience = ContinuousClock.now + .milliseconds(300)
        while ContinuousClock.now < patience { try await bench.stepper.step(1024) }
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

    // MARK: Coming and going

    func testASourceThatIsLateBeginsWithSilenceAndOneThatLeavesEndsInIt() async throws {
        let bench = try await startBench()
        let whole = try await bench.addSource("whole")
        let late = try await bench.addSource("late")
        let short = try await bench.addSource("short")
        let slow = try await bench.addSource("slow", latency: 1500)
        for source in [whole, short, slow] { try await bench.connect(source) }
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step([1024, 17, 8192])
        let join = Int(await bench.stepper.position)
        try await bench.connect(late)
        try await bench.stepper.step([64, 1024])
        let leave = Int(await bench.stepper.position)
        try await bench.disconnect(short)
        try await bench.stepper.step([1024, 4096, 16])
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(result.start, begin - 1500)
        assertFile("Test whole.wav", in: result, of: bench, made: [begin..<end])
        assertFile("Test slow.wav", in: result, of: bench, made: [(begin - 1500)..<(end - 1500)])
        assertFile("Test late.wav", in: result, of: bench, made: [join..<end])
        // All that it sent, also what was still on its way.
        assertFile("Test short.wav", in: result, of: bench, made: [begin..<leave])
    }

    func testASourceThatComesBackGoesOnInItsFile() async throws {
        let bench = try await startBench()
        let whole = try await bench.addSource("whole")
        try await bench.connect(whole)
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(1024)
        var made: [Range<Int>] = []
        // The same port first, then an app that was ended and started anew.
        for renews in [false, false, true, true] {
            var client = bench.bus
            if renews { client = try await connectClient(to: bench.stepper.remote, as: "Guest") }
            if renews || made.isEmpty {
                _ = try await bench.addSource("guest", title: renews ? "Again" : "Guest", to: client)
            }
            let name = renews ? "Guest.guest" : "Test.guest"
            try await bench.connect(name)
            let first = Int(await bench.stepper.position)
            try await bench.stepper.step([1000, 24])
            made.append(first..<Int(await bench.stepper.position))
            try await bench.disconnect(name)
            if renews {
                await client.close()
                try await eventually("the guest to be gone") {
                    await !bench.bus.graph.ports.contains { $0.nodeName == name }
                }
                try await bench.stepper.settle()
            }
            try await bench.stepper.step(512)
        }
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(Set(result.files.keys), ["Test whole.wav", "Guest.wav", "Again.wav"])
        assertFile("Test whole.wav", in: result, of: bench, made: [begin..<end])
        assertFile("Guest.wav", in: result, of: bench, made: Array(made[..<2]))
        assertFile("Again.wav", in: result, of: bench, made: Array(made[2...]))
        XCTAssertEqual(result.figures["skipped_frames"], "0")
    }

    func testAnotherSourceOnTheSameLaneHasAFileOfItsOwn() async throws {
        let bench = try await startBench(["--lanes", "1"])
        var made: [Range<Int>] = []
        for name in ["one", "two", "three"] {
            let source = try await bench.addSource(name, channels: name == "two" ? .mono : .stereo)
            try await bench.connect(source)
            let first = Int(await bench.stepper.position)
            try await bench.stepper.step(1024, cycles: 3)
            made.append(first..<Int(await bench.stepper.position))
            try await bench.disconnect(source)
        }
        let result = try await bench.finish()
        XCTAssertEqual(result.files.count, 3)
        assertFile("Test one.wav", in: result, of: bench, made: [made[0]])
        assertFile("Test two.wav", in: result, of: bench, made: [made[1]], channels: 1)
        assertFile("Test three.wav", in: result, of: bench, made: [made[2]])
    }

    func testSourcesThatShareALaneAreOneFile() async throws {
        let bench = try await startBench(["--lanes", "1"])
        let first = try await bench.addSource("first")
        _ = try await bench.addSource("second")
        try await bench.connect(first)
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(1024, cycles: 2)
        let both = Int(await bench.stepper.position) - begin
        for channel in ["FL", "FR"] {
            let link = try ChildProcess(
                "pw-link", ["Test.second:output_\(channel)", "Recorder.in:input_1_\(channel)"],
                environment: bench.stepper.environment())
            let ending = try await link.waitForEnd()
            XCTAssertEqual(ending, .exited(0), link.errors.text)
        }
        try await eventually("the links") {
            await bench.bus.graph.connections.contains { $0.links.count == 2 && $0.source != first.id }
        }
        try await bench.stepper.settle()
        try await bench.stepper.step(1024, cycles: 2)
        let end = Int(await bench.stepper.position)
        let result = try await bench.finish()
        XCTAssertEqual(Array(result.files.keys), ["Test first.wav"])
        for (channel, samples) in (result.files["Test first.wav"]?.channels ?? []).enumerated() {
            var expected = bench.expected([begin..<end], channel: channel, in: result, count: samples.count)
            for frame in both..<samples.count { expected[frame] *= 2 }
            assertSamples(samples, equal: expected, channel: channel)
        }
        XCTAssertTrue(bench.tool.errors.text.contains("Test second"), bench.tool.errors.text)
    }

    // MARK: What the files are

    func testTitlesMakeFileNames() async throws {
        let bench = try await startBench()
        for (number, title) in ["../../x", "Same", "Same", ".hidden", "Größe: 5/4", "  -rf  "].enumerated() {
            try await bench.connect(try await bench.addSource("s\(number)", title: title, channels: .mono))
        }
        try await bench.stepper.step(1024)
        let result = try await bench.finish()
        XCTAssertEqual(
            Set(result.files.keys),
            ["_.._x.wav", "Same.wav", "Same 2.wav", "hidden.wav", "Größe_ 5_4.wav", "rf.wav"])
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: bench.path).count, 6)
    }

    func testBitsRateAndChannels() async throws {
        for (bits, rate) in [(16, 44_100), (24, 96_000), (32, 192_000)] {
            let bench = try await startBench(["--bits", "\(bits)"], sampleRate: rate)
            let mono = try await bench.addSource("mono", channels: .mono)
            let stereo = try await bench.addSource("stereo")
            try await bench.connect(mono)
            try await bench.connect(stereo)
            let begin = Int(await bench.stepper.position)
            try await bench.stepper.step(1024, cycles: 4)
            let result = try await bench.finish()
            for (name, channels) in [("Test mono.wav", 1), ("Test stereo.wav", 2)] {
                let file = try XCTUnwrap(result.files[name])
                XCTAssertEqual(file.bits, bits)
                XCTAssertEqual(file.sampleRate, rate)
                XCTAssertEqual(file.channels.count, channels)
                for (channel, samples) in file.channels.enumerated() {
                    let expected = bench.expected(
                        [begin..<(begin + 4096)], channel: channel, in: result, count: 4096)
                    let scale = Float(1 << (bits - 1))
                    let rounded = expected.map { bits == 32 ? $0 : ($0 * scale).rounded() / scale + 0 }
                    assertSamples(samples, equal: rounded, channel: channel)
                }
            }
        }
    }

    func testADurationEndsAllFilesAtThatFrame() async throws {
        let bench = try await startBench(["--duration", "0.05"])
        let plain = try await bench.addSource("plain")
        let slow = try await bench.addSource("slow", latency: 300)
        try await bench.connect(plain)
        try await bench.connect(slow)
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(1000, cycles: 4)
        let result = try await bench.finish(signal: nil)
        XCTAssertEqual(result.figures["frames"], "2400")
        assertFile("Test plain.wav", in: result, of: bench, made: [begin..<(begin + 4000)])
        assertFile("Test slow.wav", in: result, of: bench, made: [(begin - 300)..<(begin + 4000)])
    }

    func testAfterAKillEveryFileCanBePlayed() async throws {
        let bench = try await startBench()
        let plain = try await bench.addSource("plain")
        let mono = try await bench.addSource("mono", channels: .mono)
        try await bench.connect(plain)
        try await bench.connect(mono)
        let begin = Int(await bench.stepper.position)
        try await bench.stepper.step(1024, cycles: 10)
        for name in ["Test plain", "Test mono"] {
            try await eventually("\(name) to be written") {
                (try? WaveFile.read("\(bench.path)/\(name).wav").channels[0].count) == 10_240
            }
        }
        // In the middle of more.
        let stepper = bench.stepper
        let step = Task { try? await stepper.step(1024, cycles: 100, timeout: .seconds(1)) }
        try await eventually("more to be written") {
            ((try? WaveFile.read("\(bench.path)/Test plain.wav").channels[0].count) ?? 0) > 10_240
        }
        bench.tool.signal(SIGKILL)
        let ending = try await bench.tool.waitForEnd()
        XCTAssertEqual(ending, .killed(signal: SIGKILL))
        await step.value
        let result = RecordingBench.Result(start: begin, files: [:], figures: [:], tracks: [:])
        for (name, channels) in [("Test plain", 2), ("Test mono", 1)] {
            let file = try WaveFile.read("\(bench.path)/\(name).wav")
            XCTAssertEqual(file.channels.count, channels)
            let samples = file.channels[0]
            XCTAssertGreaterThanOrEqual(samples.count, 10_240)
            assertSamples(samples, equal: bench.expected([begin..<Int.max], in: result, count: samples.count))
        }
    }

    func testWhenOneFileCanGrowNoMoreAllCanBePlayed() async throws {
        for joinsLate in [false, true] {
            let bench = try await startBench(joinsLate ? ["--lanes", "2"] : [], through: ["prlimit", "--fsize=65537"])
            let mono = try await bench.addSource("mono", channels: .mono)
            let stereo = try await bench.addSource("stereo")
            try await bench.connect(mono)
            if !joinsLate { try await bench.connect(stereo) }
            let begin = Int(await bench.stepper.position)
            try await bench.stepper.step(1024, cycles: 12)
            if joinsLate {
                // Already the silence before it is too much.
                try await bench.connect(stereo)
                try await bench.stepper.step(1024)
            }
            let sentence = try await assertOneSentence(
                bench.tool, from: "track-recorder", status: 1, saying: "File too large")
            XCTAssertTrue(sentence.contains("Test stereo.wav could take no more"), sentence)
            let result = RecordingBench.Result(start: begin, files: [:], figures: [:], tracks: [:])
            for (name, most) in [("Test mono", 12_288 + 1024), ("Test stereo", 8192)] {
                let samples = try WaveFile.read("\(bench.path)/\(name).wav").channels[0]
                XCTAssertGreaterThan(samples.count, 8000)
                XCTAssertLessThanOrEqual(samples.count, most)
                let isSilent = joinsLate && name == "Test stereo"
                let made = isSilent ? [] : [begin..<Int.max]
                assertSamples(samples, equal: bench.expected(made, in: result, count: samples.count))
            }
        }
    }

    func testWhatWasMissedIsSilentInAllFiles() async throws {
        let daemon = try await startDaemon(.init(quantum: StoppedRecorder.quantum))
        let bus = try await connectClient(to: daemon.remote)
        let path = "\(folder)/tracks"
        let tool = try start("track-recorder", ["--separate", "--output", path], at: daemon.environment())
        try await tool.nextLine { $0 == "port=Recorder.in" }
        var sources: [(port: SenderPort, progress: SourceProgress)] = []
        for name in ["one", "two"] {
            let source = try await bus.source(name, of: .counting, channels: .mono)
            try await bus.connect(source.0, to: "Recorder")
            sources.append(source)
        }
        try await StoppedRecorder.run(tool, recording: sources[1].port)
        let figures = try await figures(of: tool)
        XCTAssertGreaterThanOrEqual(Int(figures["missed_frames"] ?? "") ?? 0, 2 * 4 * StoppedRecorder.quantum)
        for (port, progress) in sources {
            let samples = try WaveFile.read("\(path)/Test \(port.name).wav").channels[0]
            XCTAssertEqual("\(samples.count)", figures["frames"])
            StoppedRecorder.check(
                samples, from: try XCTUnwrap(Int(figures["first_position"] ?? "")),
                begin: Int(try XCTUnwrap(progress.firstPosition)))
        }
    }
}
