// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

@testable import tone_sender

/// `tone-sender --file --loop`: no frame is between two rounds, however short they are.
final class FileLoopTests: FileSenderTestCase {
    /// Of loops that are shorter and longer than what is read at once, and of formats whose decoders must seek.
    func testNoFrameIsBetweenTwoRoundsOfALoop() async throws {
        for (frames, format, container) in [
            (1, SampleFormat.float32, FileFormat.wav), (3, .int24, .flac), (64, .float32, .wav), (1000, .int24, .flac),
            (4799, .float32, .wav), (4800, .float32, .wav), (4801, .float32, .wav), (50_000, .int24, .flac),
        ] {
            let (path, planar) = try makeNoise(frames: frames, channels: 1, format, as: container)
            let count = 120_000
            let listening = try await listen(
                to: ["--file", path, "--loop", "--duration", "2.5", "--gain", "-6.020599913279624"], channels: .mono)
            let figures = try await finish(listening)
            XCTAssertEqual(figures["frames"], "\(count)")
            XCTAssertEqual(figures["underruns"], "0")
            let came = try listening.keeper.sound()[0]
            assertSamples(Array(came.prefix(count)), equal: (0..<count).map { planar[0][$0 % frames] * 0.5 })
            XCTAssertFalse(came.dropFirst(count).contains { $0 != 0 })
        }
    }

    func testALoopGoesOnUntilASignal() async throws {
        let (path, planar) = try makeNoise(frames: 3000, channels: 2)
        let listening = try await listen(to: ["--file", path, "--loop"], channels: .stereo)
        try await eventually("some rounds", within: .seconds(30)) {
            try await listening.stepper.step(256)
            return ((try? listening.keeper.sound())?[0].count ?? 0) > 40_000
        }
        listening.tool.signal(SIGINT)
        let figures = try await figures(of: listening.tool)
        let sent = try XCTUnwrap(figures["frames"].flatMap { Int($0) })
        let came = try listening.keeper.sound()
        for channel in 0..<2 {
            assertSamples(came[channel], equal: came[channel].indices.map { planar[channel][$0 % 3000] })
        }
        XCTAssertEqual(sent, came[0].count)
    }

    /// In real time: so many rounds a second cannot be read one by one.
    func testALoopOfTwoFramesAtAHighRateNeverRunsOut() async throws {
        let path = try write([[0.5, 0.25], [-0.5, -0.25]], sampleRate: 384_000)
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (port, keeper) = try await bus.keeper(channels: .stereo)
        let tool = try start("tone-sender", ["--file", path, "--loop"], at: daemon.environment())
        try await waitForPort("Tone.out", of: tool, seenBy: bus)
        try await bus.connect("Tone", to: port)
        try await eventually("five seconds of sound", within: .seconds(60)) {
            keeper.frameCount > 5 * 48_000 && keeper.lastSamples(ofChannel: 0, count: 5 * 48_000)[0] > 0.3
        }
        tool.signal(SIGINT)
        let figures = try await figures(of: tool)
        XCTAssertEqual(figures["underruns"], "0")
        // At this graph's rate only the mean of the frames is left, once the resampler has begun. A busy machine loses cycles,
        // whose samples are at the ends of the sorted ones.
        for (channel, mean) in [(0, Float(0.375)), (1, -0.375)] {
            let sound = keeper.lastSamples(ofChannel: channel, count: 4 * 48_000).sorted()
            let middle = sound[sound.count / 4..<sound.count * 3 / 4]
            XCTAssertFalse(middle.contains { abs($0 - mean) > 1e-4 }, "channel \(channel)")
        }
    }

    /// Exact at every seam, also where a round ends within what is read at once, and with few reads.
    func testAShortLoopIsReadOnceForAllItsRounds() throws {
        for frames in [1, 2, 7, 100, 1000, 38_399] {
            let (path, planar) = try makeNoise(frames: frames, channels: 2, sampleRate: 384_000)
            let sound = try FileSound(path: path, isLooped: true, gain: 1, seconds: 1)
            var came: [Float] = []
            let before = try Self.readCalls()
            while let block = try sound.next(38_400) { came += block }
            XCTAssertLessThan(try Self.readCalls() - before, 2000, "\(frames) frames")
            XCTAssertEqual(came.count, 2 * 384_000)
            for channel in 0..<2 {
                assertSamples(
                    stride(from: channel, to: came.count, by: 2).map { came[$0] },
                    equal: (0..<384_000).map { planar[channel][$0 % frames] }, channel: channel)
            }
        }
    }

    /// Number of calls of the system with which this process has read something.
    private static func readCalls() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
        let line = try XCTUnwrap(text.split(separator: "\n").first { $0.hasPrefix("syscr:") })
        return try XCTUnwrap(Int(line.dropFirst("syscr: ".count)))
    }
}
