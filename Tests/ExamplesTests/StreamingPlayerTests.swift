// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

final class StreamingPlayerTests: ToolTestCase {
    private let signal = TestSignal(.noise(seed: 9), gain: 0.5)

    /// Runs the graph until the tool ends, with its input from a shell's command.
    private func play(
        _ command: String, _ arguments: [String] = [], channels: ChannelLayout, quantum: Int = 480
    ) async throws -> (figures: [String: String], sound: [[Float]]) {
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, keeper) = try await bus.keeper(channels: channels)
        let tool = try start(
            "streaming-player", arguments, at: stepper.environment(), through: ["/bin/sh", "-c", command, "sh"])
        try await waitForPort("Player.out", of: tool, seenBy: bus)
        try await bus.connect("Player", to: port)
        try await stepper.settle()
        var polls = 0
        try await eventually("the sound to be over", within: .seconds(60)) {
            if tool.ending != nil { return true }
            // A cycle that the tool leaves would not end. So there is none while it may do that.
            polls += 1
            let mayEnd = keeper.silenceAfterSound >= 4800
            if !mayEnd || polls.isMultiple(of: 1000) { try await stepper.step(quantum, cycles: mayEnd ? 10 : 1) }
            return false
        }
        return (try await figures(of: tool), try keeper.sound())
    }

    private func write(_ samples: [Float], to name: String) throws -> String {
        let path = "\(folder)/\(name)"
        try unsafe samples.withUnsafeBytes { unsafe Data($0) }.write(to: URL(fileURLWithPath: path))
        return path
    }

    func testAFileAtTheGraphsRateArrivesBitForBit() async throws {
        for (channels, format) in [(1, SampleFormat.float32), (2, .int24), (6, .int16)] {
            let path = "\(folder)/\(channels).wav"
            let scale = Float(1 << (format == .float32 ? 0 : format.rawValue - 1))
            let planar = (0..<channels).map { channel in
                signal.samples(count: 30_000, channel: channel).map {
                    format == .float32 ? $0 : ($0 * scale).rounded() / scale + 0
                }
            }
            var file = try SoundFileWriter(
                try OutputFile(path: path, replacing: .wav), channelCount: channels, sampleRate: 48_000, format: format)
            try file.write((0..<30_000).flatMap { frame in planar.map { $0[frame] } }[...])
            try file.close()
            let (figures, sound) = try await play("exec \"$@\" < \(path)", channels: .channels(channels))
            XCTAssertEqual(figures["frames"], "30000")
            XCTAssertEqual(figures["underruns"], "0")
            for (channel, came) in sound.enumerated() {
                assertSamples(Array(came.prefix(30_000)), equal: planar[channel], channel: channel)
                XCTAssertFalse(came.dropFirst(30_000).contains { $0 != 0 })
            }
        }
    }

    /// What a port cannot take as it is becomes what libsndfile makes of it.
    func testOtherFormsOfSamplesAndLongChunksBeforeThem() async throws {
        for (tag, bits) in [(1, 8), (3, 64), (6, 8), (7, 8)] {
            let path = "\(folder)/\(tag)-\(bits).wav"
            let data: [UInt8] =
                bits == 8
                ? (0..<4000).map { UInt8(truncatingIfNeeded: $0 + 1) }
                : signal.samples(count: 4000).flatMap { sample in
                    let number = Double(sample).bitPattern
                    return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
                }
            try writeWave(data, tag: tag, bits: bits, channels: 2, chunk: tag == 1 ? 8_000_001 : 3, to: path)
            let expected = try AudioClip(contentsOf: path).samples
            XCTAssertEqual(expected.count, 4000)
            let (figures, sound) = try await play("exec \"$@\" < \(path)", channels: .stereo)
            XCTAssertEqual(figures["frames"], "2000", path)
            for channel in 0..<2 {
                let sent = stride(from: channel, to: 4000, by: 2).map { expected[$0] }
                assertSamples(Array(sound[channel].prefix(2000)), equal: sent, channel: channel)
            }
        }
    }

    /// - Parameter chunk: the length of a chunk before the format. A byte fills an odd one up.
    private func writeWave(
        _ samples: [UInt8], tag: Int, bits: Int, channels: Int, chunk: Int, to path: String
    ) throws {
        var data = Data()
        func put(_ text: String) { data.append(contentsOf: text.utf8) }
        func put(_ value: Int, bytes: Int) { for byte in 0..<bytes { data.append(UInt8(value >> (8 * byte) & 0xFF)) } }
        put("RIFF")
        put(44 + chunk + chunk % 2 + samples.count, bytes: 4)
        put("WAVEnote")
        put(chunk, bytes: 4)
        data.append(Data(repeating: 0x61, count: chunk + chunk % 2))
        put("fmt ")
        put(16, bytes: 4)
        put(tag, bytes: 2)
        put(channels, bytes: 2)
        put(48_000, bytes: 4)
        put(48_000 * channels * bits / 8, bytes: 4)
        put(channels * bits / 8, bytes: 2)
        put(bits, bytes: 2)
        put("data")
        put(samples.count, bytes: 4)
        data.append(contentsOf: samples)
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// As a program writes that does not know how long the sound will be; and with a part of a frame at the end.
    func testAStreamOfUnknownLengthThroughAPipe() async throws {
        let samples = signal.samples(count: 200_000)
        let path = "\(folder)/stream.wav"
        try WaveFile.write(samples, channelCount: 2, sampleRate: 48_000, claiming: (1 << 30) - 1, to: path)
        let (figures, sound) = try await play("{ cat \(path); printf abc; } | \"$@\"", channels: .stereo)
        XCTAssertEqual(figures["frames"], "100000")
        for channel in 0..<2 {
            let sent = stride(from: channel, to: samples.count, by: 2).map { samples[$0] }
            assertSamples(Array(sound[channel].prefix(100_000)), equal: sent, channel: channel)
        }
    }

    /// A download that broke off.
    func testAStreamThatIsShorterThanItsHeadClaims() async throws {
        let samples = signal.samples(count: 20_000)
        let path = "\(folder)/short.wav"
        try WaveFile.write(samples, channelCount: 2, sampleRate: 48_000, claiming: 50_000, to: path)
        let errors = "\(folder)/errors"
        let (figures, sound) = try await play("exec \"$@\" < \(path) 2> \(errors)", channels: .stereo)
        XCTAssertEqual(figures["frames"], "10000")
        let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        assertSamples(Array(sound[0].prefix(10_000)), equal: left)
        let sentence = try String(contentsOfFile: errors, encoding: .utf8)
        XCTAssertTrue(
            sentence.hasPrefix(
                "streaming-player: The input ended after 10000 of the 25000 frames that its header claims"), sentence)
        XCTAssertEqual(sentence.split(separator: "\n").count, 1, sentence)
    }

    func testRawSamplesOfSeveralPrograms() async throws {
        let samples = signal.samples(count: 20_000)
        let first = try write(Array(samples[..<7001]), to: "first")
        let second = try write(Array(samples[7001...]), to: "second")
        let (figures, sound) = try await play(
            "{ cat \(first); cat \(second); } | \"$@\"",
            ["--rate", "48000", "--channels", "1", "--sample", "float32"], channels: .mono)
        XCTAssertEqual(figures["frames"], "20000")
        assertSamples(Array(sound[0].prefix(20_000)), equal: samples)
    }

    /// Half a second of another rate lasts half a second.
    func testAnotherRateIsConverted() async throws {
        let samples = (0..<22_050).map { 0.5 * Float(sin(2 * .pi * 1000 * Double($0) / 44_100)) }
        let path = try write(samples, to: "raw")
        let (figures, sound) = try await play(
            "exec \"$@\" < \(path)", ["--rate", "44100", "--channels", "1", "--sample", "float32"], channels: .mono)
        XCTAssertEqual(figures["frames"], "22050")
        XCTAssertEqual(figures["sample_rate"], "44100")
        let middle = sound[0][4800..<19_200]
        // A period has 48 frames.
        for frame in middle.indices.dropLast(48) {
            XCTAssertEqual(sound[0][frame], sound[0][frame + 48], accuracy: 1e-4)
        }
        XCTAssertEqual(middle.max() ?? 0, 0.5, accuracy: 1e-3)
        XCTAssertEqual(Double(sound[0].lastIndex { abs($0) > 0.001 } ?? 0), 24_000, accuracy: 600)
    }

    /// The writer of the input waits while nothing is connected, and the tool ends at a signal in any state.
    func testASignalEndsItWhateverItWaitsFor() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        // For the head of a stream, which does not come.
        let silent = try start("streaming-player", [], at: daemon.environment())
        try await eventually("its handler of the signal") {
            let status = (try? String(contentsOfFile: "/proc/\(silent.pid)/status", encoding: .utf8)) ?? ""
            let caught = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }?.split(separator: "\t").last
            return (caught.flatMap { UInt64($0, radix: 16) } ?? 0) & 1 << UInt64(SIGINT - 1) != 0
        }
        silent.signal(SIGINT)
        let ending = try await silent.waitForEnd()
        XCTAssertEqual(ending, .exited(0), silent.errors.text)

        // For a destination, with an endless input; and for an input that says nothing.
        for (command, isConnected) in [("cat /dev/zero | \"$@\"", false), ("exec \"$@\"", true)] {
            let tool = try start(
                "streaming-player", ["--rate", "44100"], at: daemon.environment(),
                through: ["/bin/sh", "-c", command, "sh"])
            try await waitForPort("Player.out", of: tool, seenBy: bus)
            if isConnected {
                let (port, keeper) = try await bus.keeper(channels: .stereo)
                try await bus.connect("Player", to: port)
                try await eventually("some cycles") { keeper.frameCount > 48_000 }
            }
            let peer = await bus.graph.peers.first { $0.name == "Player" }?.processID
            kill(try XCTUnwrap(peer), SIGINT)
            let figures = try await figures(of: tool)
            XCTAssertEqual(figures["frames"], "0")
            try await eventually("its port to be gone") {
                await !bus.graph.ports.contains { $0.nodeName == "Player.out" }
            }
        }
    }

    func testInputThatIsNoSound() async throws {
        let text = "\(folder)/text"
        try String(repeating: "no sound at all\n", count: 100).write(toFile: text, atomically: false, encoding: .utf8)
        let (rate, wide) = ("\(folder)/rate.wav", "\(folder)/wide.wav")
        try WaveFile.write([0.5], channelCount: 1, sampleRate: 7999, to: rate)
        try WaveFile.write([Float](repeating: 0, count: 65), channelCount: 65, sampleRate: 48_000, to: wide)
        let bytes = "\(folder)/bytes.wav"
        var data = try Data(contentsOf: URL(fileURLWithPath: wide))
        data[34] = 8
        try data.write(to: URL(fileURLWithPath: bytes))
        for (input, words) in [
            ("</dev/null", "ended before any sound came"), ("<&-", "ended before any sound came"),
            ("<\(text)", "no WAV stream"),
            ("<\(rate)", "1 channel at 7999 Hz"), ("<\(wide)", "65 channels"), ("<\(bytes)", "8 bits"),
            ("<\(folder)", "cannot be read"),
        ] {
            let tool = try start("streaming-player", through: ["/bin/sh", "-c", "exec \"$@\" \(input)", "sh"])
            try await assertOneSentence(tool, from: "streaming-player", status: 1, saying: words)
        }
    }

    /// While nothing is connected too, and also when the input ends only later.
    func testRawInputWithoutSoundIsSaidAtOnce() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let words = "ended before any sound came"
        let empty = "\(folder)/empty.wav"
        try WaveFile.write([], channelCount: 2, sampleRate: 48_000, to: empty)
        for (arguments, command) in [
            (["--rate", "44100"], "exec \"$@\" </dev/null"), (["--rate", "44100"], "exec \"$@\" <&-"),
            (["--rate", "44100"], "printf abc | \"$@\""), ([], "exec \"$@\" <\(empty)"),
        ] {
            let tool = try start(
                "streaming-player", arguments, at: daemon.environment(), through: ["/bin/sh", "-c", command, "sh"])
            try await assertOneSentence(tool, from: "streaming-player", status: 1, saying: words)
        }
        let tool = try start("streaming-player", ["--rate", "44100"], at: daemon.environment())
        try await waitForPort("Player.out", of: tool, seenBy: bus)
        tool.closeInput()
        try await assertOneSentence(tool, from: "streaming-player", status: 1, saying: words)
    }

    func testBadUsage() async throws {
        for (arguments, words) in [
            (["--rate", "7999"], "8000 to 384000"), (["--rate", "48000", "--channels", "65"], "1 to 64"),
            (["--channels", "1"], "--rate"), (["--sample", "float32"], "--rate"), (["--sample", "int8"], "int8"),
        ] {
            try await assertOneSentence(
                start("streaming-player", arguments), from: "streaming-player", status: 64, saying: words)
        }
        let raw = try start("streaming-player", ["--rate", "48000"])
        try await assertOneSentence(raw, from: "streaming-player", status: 1, saying: "PipeWire")
        // A terminal holds no sound.
        let command = "\(Programs.path(of: "streaming-player")) 2>\(folder)/errors; echo status $?"
        let script = try start(
            "streaming-player", through: ["/bin/sh", "-c", "exec script -qec '\(command)' /dev/null", "sh"])
        try await eventually("its status") { script.output.text.contains("status 64") }
        let sentence = try String(contentsOfFile: "\(folder)/errors", encoding: .utf8)
        XCTAssertTrue(sentence.contains("The input is a terminal"), sentence)
    }
}
