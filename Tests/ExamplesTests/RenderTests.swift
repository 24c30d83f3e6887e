// SPDX-License-Identifier: MIT
import Foundation
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// `pipebus render`: what comes out, to the sample.
final class RenderTests: RenderTestCase {
    /// Two filters in a row, with a latency each, and files of odd lengths.
    func testAPureDelayLeavesTheFileAsItIs() async throws {
        for (frames, channels, sampleRate, quantum) in [
            (1, 1, 44_100, 1024), (100_003, 1, 48_000, 1024), (30_011, 2, 44_100, 1024), (5001, 8, 96_000, 64),
            (9999, 2, 48_000, 1000),
        ] {
            let (path, sound) = try makeFile(frames: frames, channels: channels, sampleRate: sampleRate)
            let output = "\(folder)/out-\(frames).wav"
            let figures = try await render(
                [path, output, "--quantum", "\(quantum)"] + echo("--delay 480 --feedback 0 --channels \(channels)")
                    + echo("--delay 1001 --feedback 0 --channels \(channels)"))
            XCTAssertEqual(figures["latency"], "1481")
            XCTAssertEqual(figures["frames"], "\(frames)")
            // No cycle more than the sound and its latency need: it goes as fast as the filters do.
            XCTAssertEqual(figures["cycles"], "\((frames + 1481 + quantum - 1) / quantum)")
            let file = try WaveFile.read(output)
            XCTAssertEqual(file.sampleRate, sampleRate)
            XCTAssertEqual(file.bits, 32)
            XCTAssertEqual(file.channels.count, channels)
            for channel in 0..<channels {
                assertSamples(file.channels[channel], equal: sound[channel], channel: channel)
            }
        }
    }

    /// The same chain live, in cycles of other lengths, and a computation of its own.
    func testItIsWhatTheSameChainGivesLive() async throws {
        for (channels, sampleRate) in [(1, 48_000), (2, 44_100), (8, 96_000)] {
            let frames = 20_011
            let tail = sampleRate / 4
            let chain = ["--dry --delay 777 --feedback 0.4", "--delay 1500 --feedback -0.7"].map {
                "\($0) --channels \(channels)"
            }
            let (path, sound) = try makeFile(frames: frames, channels: channels, sampleRate: sampleRate)
            let output = "\(folder)/out-\(channels).wav"
            let figures = try await render([path, output, "--tail", "0.25"] + chain.flatMap(echo))
            XCTAssertEqual(figures["latency"], "1500")
            let rendered = try WaveFile.read(output).channels
            // Until the live noise, which does not end, has another sound than the file.
            let cycles = [1024, 64, 8192, 1000, 17, 1024, 1024, 333, 8192]
            let live = try await live(chain, channels: channels, sampleRate: sampleRate, cycles: cycles)
            for channel in 0..<channels {
                XCTAssertEqual(rendered[channel].count, frames + tail)
                let heard = live[channel].dropFirst(1500).prefix(frames)
                assertSamples(Array(rendered[channel].prefix(heard.count)), equal: Array(heard), channel: channel)
                let silence = [Float](repeating: 0, count: tail + 1500)
                let dry = echoes(sound[channel] + silence, delay: 777, feedback: 0.4, isDry: true)
                let expected = echoes(dry, delay: 1500, feedback: -0.7, isDry: false).dropFirst(1500)
                assertSamples(rendered[channel], equal: Array(expected), channel: channel)
            }
        }
    }

    /// A second render must give the same, whatever happened in the first.
    func testItIsTheSameEachTime() async throws {
        let (path, _) = try makeFile(frames: 50_001, channels: 2)
        var first: Data?
        for _ in 0..<5 {
            try await render([path, "\(folder)/out.wav", "--force"] + echo("--delay 300") + echo("--delay 40 --dry"))
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/out.wav"))
            XCTAssertEqual(first ?? data, data)
            first = data
        }
    }

    func testWithANewerPipeWire() async throws {
        let (path, sound) = try makeFile(frames: 30_011, channels: 2)
        let process = try start(
            "pipebus",
            ["render", path, "\(folder)/out.wav"] + echo("--delay 480 --feedback 0")
                + echo("--delay 1001 --feedback 0"),
            adding: try PipeWireInstallation.newer().environment.merging(["TMPDIR": folder]) { $1 })
        try await process.waitForEnd(within: .seconds(60))
        let figures = try await figures(of: process)
        XCTAssertEqual(figures["latency"], "1481")
        let file = try WaveFile.read("\(folder)/out.wav")
        for channel in 0..<2 { assertSamples(file.channels[channel], equal: sound[channel], channel: channel) }
        assertNothingIsLeft(of: process)
    }

    func testMonoBecomesStereoWhereAFilterIs() async throws {
        let (path, sound) = try makeFile(frames: 3001)
        let figures = try await render([path, "\(folder)/out.wav"] + echo("--delay 100 --feedback 0"))
        XCTAssertEqual(figures["channels"], "2")
        let file = try WaveFile.read("\(folder)/out.wav")
        for channel in file.channels { assertSamples(channel, equal: sound[0]) }
        try await assertFailure(
            [try makeFile(frames: 100, channels: 8).path, "\(folder)/no.wav"] + echo("--delay 1"), "\(folder)/no.wav",
            saying: "has 8 channels and Echo.echo takes 2, which do not go together")
        try await assertFailure(
            [path, "\(folder)/no.wav"] + echo("--delay 1") + echo("--name Mono --delay 1 --channels 1"),
            "\(folder)/no.wav", saying: "Echo.echo gives 2 channels and Mono.echo takes 1, which do not go together")
    }

    func testFormats() async throws {
        let (path, sound) = try makeFile(frames: 10_001, channels: 2, sampleRate: 44_100)
        for (name, bits, scale) in [
            ("out.wav", 16, Float(1 << 15)), ("out24.wav", 24, Float(1 << 23)), ("out.flac", nil, Float(1 << 23)),
            ("out16.flac", 16, Float(1 << 15)),
        ] as [(String, Int?, Float)] {
            let output = "\(folder)/\(name)"
            try await render(
                [path, output] + (bits.map { ["--bits", "\($0)"] } ?? []) + echo("--delay 480 --feedback 0"))
            let clip = try AudioClip(contentsOf: output)
            XCTAssertEqual(clip.sampleRate, 44_100)
            for channel in 0..<2 {
                let came = stride(from: channel, to: clip.samples.count, by: 2).map { clip.samples[$0] }
                assertSamples(came, equal: sound[channel].map { ($0 * scale).rounded() / scale + 0 }, channel: channel)
            }
        }
    }

    /// A header may say less than there is, and a file may hold nothing.
    func testAFileWithoutAFrame() async throws {
        let path = "\(folder)/empty.wav"
        try WaveFile.write([], channelCount: 2, sampleRate: 48_000, to: path)
        let figures = try await render([path, "\(folder)/out.wav"] + echo("--delay 480 --feedback 0"))
        XCTAssertEqual(figures["frames"], "0")
        XCTAssertEqual(try WaveFile.read("\(folder)/out.wav").channels.first, [])
    }

    /// A cycle with what is no number is silent at the end of the chain, which is said, and all other cycles come.
    func testWhatIsNoNumber() async throws {
        let sound = signal.samples(count: 5000)
        var samples = sound
        samples[2100] = .nan
        let path = "\(folder)/nan.wav"
        try WaveFile.write(samples, channelCount: 1, sampleRate: 48_000, to: path)
        let process = try startRender([path, "\(folder)/out.wav"] + host("well"))
        let ending = try await process.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(0))
        XCTAssertTrue(
            process.errors.text.contains("The filters gave NaN or infinity in 1 cycle of 1024 frames"),
            process.errors.text)
        let expected = sound.indices.map { (2048..<3072).contains($0) ? 0 : 5 / 8 * sound[$0] }
        assertSamples(try WaveFile.read("\(folder)/out.wav").channels[0], equal: expected)
    }

    /// A format that ends at full scale loses what is beyond, which is said.
    func testClipping() async throws {
        let path = "\(folder)/loud.wav"
        var samples = signal.samples(count: 3000)
        samples[100] = 2
        samples[2900] = -1.5
        try WaveFile.write(samples, channelCount: 1, sampleRate: 48_000, to: path)
        for (name, count) in [("out.flac", "2"), ("out.wav", "0")] {
            let process = try startRender([path, "\(folder)/\(name)"] + echo("--delay 0 --feedback 0 --channels 1"))
            try await process.waitForEnd(within: .seconds(60))
            let figures = try await figures(of: process)
            XCTAssertEqual(figures["clipped_frames"], count)
            XCTAssertEqual(
                process.errors.text.contains("2 frames are clipped at 0 dBFS, where the format of "), count == "2",
                process.errors.text)
        }
    }

    /// The whole file is never in memory.
    func testMemoryDoesNotGrowWithTheFile() async throws {
        let path = try makeLongFile()
        let process = try startRender([path, "\(folder)/out.wav"] + echo("--delay 480 --feedback 0 --channels 1"))
        func written() throws -> Int {
            guard let name = unfinishedFiles.first else { return 0 }
            return try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size] as? Int ?? 0
        }
        try await eventually("the first megabyte", within: .seconds(30)) { try written() > 1 << 20 }
        let early = try ProcessFigures.memory(of: process.pid)
        try await eventually("twenty-four megabytes", within: .seconds(60)) { try written() > 24 << 20 }
        let late = try ProcessFigures.memory(of: process.pid)
        XCTAssertLessThan(late - early, 8000, "kilobytes")
        process.signal(SIGINT)
        let ending = try await process.waitForEnd()
        XCTAssertEqual(ending, .exited(130), process.errors.text)
    }
}
