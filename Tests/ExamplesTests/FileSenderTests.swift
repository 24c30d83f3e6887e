// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// `tone-sender --file` at the graph's rate: every frame of a file is heard, in order.
final class FileSenderTests: FileSenderTestCase {
    func testAFileArrivesBitForBitAndIsSilentAfterwards() async throws {
        for (channels, rate, format, container) in [
            (1, 48_000, SampleFormat.float32, FileFormat.wav), (2, 44_100, .int24, .flac), (8, 96_000, .int24, .rf64),
            (2, 8000, .int16, .wav),
        ] {
            let (path, planar) = try makeNoise(
                frames: 10_007, channels: channels, sampleRate: rate, format, as: container)
            let listening = try await listen(
                to: ["--file", path], channels: .channels(channels), sampleRate: rate)
            let figures = try await finish(listening, rate: rate)
            XCTAssertEqual(figures["frames"], "10007")
            XCTAssertEqual(figures["missed_frames"], "0")
            XCTAssertEqual(figures["underruns"], "0")
            XCTAssertEqual(figures["sample_rate"], "\(rate)")
            for (channel, came) in try listening.keeper.sound().enumerated() {
                assertSamples(Array(came.prefix(10_007)), equal: planar[channel], channel: channel)
                XCTAssertFalse(came.dropFirst(10_007).contains { $0 != 0 })
            }
        }
    }

    /// What waits to be played does not count, at any rate, and what was played until the signal does.
    func testTheFramesThatWereHeardUntilASignalCount() async throws {
        for rate in [8000, 44_100, 48_000, 384_000] {
            let (path, _) = try makeNoise(frames: 4 * rate, channels: 1, sampleRate: rate)
            let listening = try await listen(to: ["--file", path], channels: .mono)
            try await eventually("a second of sound", within: .seconds(30)) {
                try await listening.stepper.step(480)
                return ((try? listening.keeper.sound())?[0].count ?? 0) > 48_000
            }
            listening.tool.signal(SIGINT)
            let figures = try await figures(of: listening.tool)
            let sent = try XCTUnwrap(figures["frames"].flatMap { Double($0) })
            let heard = Double(try listening.keeper.sound()[0].count) * Double(rate) / 48_000
            // A resampler begins with some frames that are almost silent.
            XCTAssertEqual(sent, heard, accuracy: rate == 48_000 ? 0 : Double(rate) / 500, "\(rate) Hz")
        }
    }

    func testTheStartWaitsForChannelsThatAreLinkedOneByOne() async throws {
        let (path, planar) = try makeNoise(frames: 1000, channels: 2)
        let stepper = try await startStepper()
        let bus = try await connectClient(to: stepper.remote)
        let (port, keeper) = try await bus.keeper(channels: .stereo)
        let tool = try start("tone-sender", ["--file", path], at: stepper.environment())
        try await waitForPort("Tone.out", of: tool, seenBy: bus)
        func link(_ channel: String) async throws {
            let process = try ChildProcess(
                "pw-link", ["Tone.out:output_\(channel)", "Test.in:input_1_\(channel)"],
                environment: stepper.environment())
            let ending = try await process.waitForEnd()
            XCTAssertEqual(ending, .exited(0), process.errors.text)
            try await stepper.settle()
        }
        try await link("FL")
        // A part of a second, in which a hand finds the second cable.
        try await stepper.step(480, cycles: 50)
        try await link("FR")
        let listening = Listening(stepper: stepper, bus: bus, port: port, keeper: keeper, tool: tool)
        _ = try await finish(listening)
        for (channel, came) in try keeper.sound().enumerated() {
            assertSamples(Array(came.prefix(1000)), equal: planar[channel], channel: channel)
        }
    }

    /// A file waits at its place while nothing is connected, at its beginning and later.
    func testAFileWaitsWhileNothingIsConnected() async throws {
        let (path, planar) = try makeNoise(frames: 100_000, channels: 1)
        let listening = try await listen(to: ["--file", path], channels: .mono)
        let (stepper, keeper) = (listening.stepper, listening.keeper)
        try await eventually("the first half", within: .seconds(30)) {
            try await stepper.step(480)
            return ((try? keeper.sound())?[0].count ?? 0) > 30_000
        }
        try await listening.bus.disconnect("Tone", from: listening.port)
        try await stepper.settle()
        try await stepper.step(480, cycles: 1000)
        XCTAssertNil(listening.tool.ending)
        try await listening.bus.connect("Tone", to: listening.port)
        try await stepper.settle()
        let figures = try await finish(listening)
        XCTAssertEqual(figures["frames"], "100000")
        XCTAssertEqual(figures["underruns"], "0")
        // What the receiver heard while it had no source is no part of the sound, which has no sample of 0.
        XCTAssertFalse(planar[0].contains(0))
        let came = try keeper.sound()[0].filter { $0 != 0 }
        assertSamples(came, equal: planar[0])
    }

    /// What does not come from the disk in time is counted, and nothing of it is lost.
    func testASlowDiskIsCountedAndShown() async throws {
        let (path, planar) = try makeNoise(frames: 480_000, channels: 1)
        let hold = "\(folder)/hold"
        let listening = try await listen(
            to: ["--file", path], channels: .mono,
            adding: ["LD_PRELOAD": try await buildSlowDisk(), "PIPEBUS_SLOW_DISK": hold])
        let (stepper, keeper) = (listening.stepper, listening.keeper)
        try await eventually("the beginning", within: .seconds(30)) {
            try await stepper.step(480)
            return ((try? keeper.sound())?[0].count ?? 0) > 4800
        }
        XCTAssertTrue(FileManager.default.createFile(atPath: hold, contents: nil))
        // Seven seconds are more than what waits in memory.
        try await stepper.step(8192, cycles: 40)
        XCTAssertNil(listening.tool.ending)
        try FileManager.default.removeItem(atPath: hold)
        try await eventually("more sound", within: .seconds(30)) {
            try await stepper.step(480)
            return keeper.silenceAfterSound < 480
        }
        let figures = try await finish(listening)
        XCTAssertEqual(figures["frames"], "480000")
        XCTAssertGreaterThan(figures["underruns"].flatMap { Int($0) } ?? 0, 0)
        // The beginning and the end, which no fade has touched.
        let came = try keeper.sound()[0]
        assertSamples(Array(came.prefix(4800)), equal: Array(planar[0].prefix(4800)))
        let end = try XCTUnwrap(came.lastIndex { $0 != 0 })
        assertSamples(Array(came[(end - 10_000)...end]), equal: Array(planar[0].suffix(10_001)))
    }

    /// - Returns: the path of the library of Tests/SlowDisk.
    private func buildSlowDisk() async throws -> String {
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path()
        let library = "\(folder)/slow-disk.so"
        let compiler = try ChildProcess(
            "/bin/sh",
            [
                "-c", "exec clang -std=gnu17 -Wall -Wextra -Werror -fPIC -shared \"$1/SlowDisk/slow_disk.c\" -o \"$2\"",
                "sh", source, library,
            ])
        let ending = try await compiler.waitForEnd()
        XCTAssertEqual(ending, .exited(0), compiler.errors.text)
        return library
    }

    // MARK: Long and damaged files

    /// Eight gigabytes, of which the disk has none: neither the start nor the memory depends on a file's length.
    func testALongFileTakesLittleMemory() async throws {
        let frames = 1 << 30
        let path = "\(folder)/long.wav"
        let planar = (0..<2).map { signal.samples(count: 1000, channel: $0) }
        try WaveFile.writeHead(ofFrames: frames, channelCount: 2, sampleRate: 48_000, to: path)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let head = try file.seekToEnd()
        let sound = (0..<1000).flatMap { frame in planar.map { $0[frame] } }
        try file.write(contentsOf: unsafe sound.withUnsafeBytes { unsafe Data($0) })
        try file.truncate(atOffset: head + UInt64(8 * frames))
        try file.close()

        let listening = try await listen(to: ["--file", path], channels: .stereo)
        let before = try ProcessFigures.memory(of: listening.tool.pid)
        try await eventually("ten seconds", within: .seconds(60)) {
            try await listening.stepper.step(1024)
            return ((try? listening.keeper.sound())?[0].count ?? 0) > 480_000
        }
        let after = try ProcessFigures.memory(of: listening.tool.pid)
        if !Sanitizer.isPresent { XCTAssertLessThan(after - before, 20_000, "kilobytes") }
        let came = try listening.keeper.sound()
        for channel in 0..<2 { assertSamples(Array(came[channel].prefix(1000)), equal: planar[channel]) }
        listening.tool.signal(SIGINT)
        let figures = try await figures(of: listening.tool)
        XCTAssertEqual(figures["underruns"], "0")
    }

    /// A receiver would silence whole cycles for them, and a resampler spread them.
    func testSamplesWithoutAValueAreSilentAlone() async throws {
        let sound = signal.samples(count: 4800, channel: 0)
        var damaged = sound
        var expected = sound
        for (frame, nonsense) in [(100, Float.nan), (101, .infinity), (2000, -.infinity)] {
            damaged[frame] = nonsense
            expected[frame] = 0
        }
        let path = "\(folder)/damaged.wav"
        try WaveFile.write(damaged, channelCount: 1, sampleRate: 48_000, to: path)
        let listening = try await listen(to: ["--file", path], channels: .mono)
        _ = try await finish(listening)
        assertSamples(Array(try listening.keeper.sound()[0].prefix(4800)), equal: expected)
        XCTAssertEqual(
            listening.tool.errors.text,
            "tone-sender: \(path) holds samples that are infinite or no number; they are played as silence.")
    }

    /// What can be decoded is played, and it is said that there should be more: of files that were cut off, and of one that was
    /// overwritten in its middle.
    func testADamagedFileIsPlayedAsFarAsItGoes() async throws {
        for (container, format, isCutOff) in [
            (FileFormat.flac, SampleFormat.int24, true), (.flac, .int24, false), (.wav, .int24, true),
            (.rf64, .float32, true),
        ] {
            let (path, planar) = try makeNoise(frames: 40_960, channels: 1, format, as: container)
            let size = try XCTUnwrap(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
            if isCutOff {
                XCTAssertEqual(unsafe truncate(path, size / 2), 0)
            } else {
                let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
                try file.seek(toOffset: UInt64(size / 2))
                try file.write(contentsOf: Data(repeating: 0, count: size / 4))
                try file.close()
            }
            let listening = try await listen(to: ["--file", path], channels: .mono)
            // Of a WAV file it can be seen before it plays.
            XCTAssertEqual(listening.tool.errors.lines.count, container == .flac ? 0 : 1, "\(container)")
            let figures = try await finish(listening)
            let sent = try XCTUnwrap(figures["frames"].flatMap { Int($0) })
            XCTAssertGreaterThan(sent, 10_000)
            XCTAssertLessThan(sent, 30_000)
            assertSamples(Array(try listening.keeper.sound()[0].prefix(sent)), equal: Array(planar[0].prefix(sent)))
            let sentence = listening.tool.errors.text
            XCTAssertEqual(listening.tool.errors.lines.count, 1, sentence)
            XCTAssertTrue(
                sentence.contains(
                    "\(container == .flac ? "is cut off or damaged" : "ends") after \(sent) of the 40960 frames"),
                sentence)
        }
    }

    /// Of a format that the tools do not write: µ-law.
    func testATelephoneFileThatIsCutOffIsSaidToBe() async throws {
        let path = "\(folder)/telephone.wav"
        try WaveFile.write([0.5], channelCount: 1, sampleRate: 48_000, claiming: 2500, to: path)
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        // The format, the bytes of a second and of a frame, and the bits.
        data[20] = 7
        data.replaceSubrange(28..<36, with: [0x80, 0xBB, 0, 0, 1, 0, 8, 0])
        data.append(Data(repeating: 0x55, count: 4096))
        try data.write(to: URL(fileURLWithPath: path))
        let listening = try await listen(to: ["--file", path], channels: .mono)
        let figures = try await finish(listening)
        XCTAssertEqual(figures["frames"], "4100")
        let sentence = listening.tool.errors.text
        XCTAssertTrue(sentence.contains("ends after 4100 of the 10000 frames"), sentence)
    }

    /// An AIFF file by hand: 16-bit integers, of which half are there.
    func testAnAIFFFileThatIsCutOffIsSaidToBe() async throws {
        let path = "\(folder)/cut.aiff"
        var data = Data()
        func put(_ text: String) { data.append(contentsOf: text.utf8) }
        func put(_ value: Int, bytes: Int) {
            for byte in (0..<bytes).reversed() { data.append(UInt8(value >> (8 * byte) & 0xFF)) }
        }
        put("FORM")
        put(46 + 8000, bytes: 4)
        put("AIFFCOMM")
        put(18, bytes: 4)
        put(1, bytes: 2)
        put(4000, bytes: 4)
        put(16, bytes: 2)
        // 48 000 as an 80-bit float.
        put(0x400E, bytes: 2)
        put(0xBB80 << 16, bytes: 4)
        put(0, bytes: 4)
        put("SSND")
        put(8 + 8000, bytes: 4)
        put(0, bytes: 8)
        for _ in 0..<2000 { put(0x1000, bytes: 2) }
        try data.write(to: URL(fileURLWithPath: path))
        let listening = try await listen(to: ["--file", path], channels: .mono)
        let figures = try await finish(listening)
        XCTAssertEqual(figures["frames"], "2000")
        let sentence = listening.tool.errors.text
        XCTAssertTrue(sentence.contains("ends after 2000 of the 4000 frames"), sentence)
    }
}
