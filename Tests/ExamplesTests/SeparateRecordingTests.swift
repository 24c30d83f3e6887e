// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import Synchronization
import XCTest

/// `track-recorder --separate`: names, formats and ends of the files.
final class SeparateRecordingTests: SeparateRecordingTestCase {
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
        // Each track missed them, at the same time.
        let missed = tool.output.lines.compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("missed_frames=") }
                .flatMap { Int($0.dropFirst("missed_frames=".count)) }
        }
        XCTAssertEqual(missed.count, 3, tool.output.text)
        XCTAssertGreaterThanOrEqual(missed.min() ?? 0, 4 * StoppedRecorder.quantum, tool.output.text)
        XCTAssertEqual(missed.last, missed.dropLast().max(), tool.output.text)
        XCTAssertLessThanOrEqual(missed.last ?? 0, Int(figures["frames"] ?? "") ?? 0, tool.output.text)
        for (port, progress) in sources {
            let samples = try WaveFile.read("\(path)/Test \(port.name).wav").channels[0]
            XCTAssertEqual("\(samples.count)", figures["frames"])
            StoppedRecorder.check(
                samples, from: try XCTUnwrap(Int(figures["first_position"] ?? "")),
                begin: Int(try XCTUnwrap(progress.firstPosition)))
        }
    }
}
