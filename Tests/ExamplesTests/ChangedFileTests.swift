// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// Sound files that another program writes to while they are read.
final class ChangedFileTests: FileSenderTestCase {
    private let frames = 20_000

    private func contents(of path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    /// Replaces the content of a file and keeps the file, as `cp` does.
    private func overwrite(_ path: String, with data: Data) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: data)
        try file.close()
        // The time of the change must differ from that of the beginning, also when the system's clock has not advanced.
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        XCTAssertEqual(unsafe utimensat(AT_FDCWD, path, &times, 0), 0)
    }

    /// The rest of a file, in pieces that do not divide it.
    private func rest(of file: SoundFileReader) throws -> [Float] {
        var samples: [Float] = []
        while true {
            let piece = try file.read(upTo: 777)
            if piece.isEmpty { return samples }
            samples += piece
        }
    }

    func testAFileThatIsOverwrittenWithAnotherFormatGivesNothingMore() throws {
        let (other, _) = try makeNoise(frames: 4 * frames, channels: 1, .int16)
        for (sampleRate, channels, format) in [
            (48_000, 1, SampleFormat.int24), (48_000, 2, .int16), (44_100, 1, .int16),
        ] {
            let (path, planar) = try makeNoise(frames: frames, channels: channels, sampleRate: sampleRate, format)
            let file = try SoundFileReader(path: path)
            XCTAssertEqual(try file.read(upTo: 1000).count, 1000 * channels)
            try overwrite(path, with: contents(of: other))
            XCTAssertThrowsError(try file.read(upTo: 1000), "\(planar.count) \(format)") {
                let message = ($0 as? ToolFailure)?.message ?? ""
                XCTAssertTrue(message.hasPrefix("\(path) was overwritten by another program"), message)
            }
            // Nor later.
            XCTAssertThrowsError(try file.read(upTo: 1000))
        }
    }

    func testAFileThatBecomesShorterOrNoSoundGivesNothingMore() throws {
        for size in [0, 100, 10_000] {
            let (path, _) = try makeNoise(frames: frames, channels: 1)
            let file = try SoundFileReader(path: path)
            XCTAssertEqual(try file.read(upTo: 1000).count, 1000)
            try overwrite(path, with: contents(of: path).prefix(size))
            XCTAssertThrowsError(try file.read(upTo: 1000), "\(size) bytes")
        }
    }

    /// As a program does that writes a title into a file.
    func testAFileWhoseHeaderBecomesLongerIsReadOn() throws {
        let (path, planar) = try makeNoise(frames: frames, channels: 1)
        let file = try SoundFileReader(path: path)
        XCTAssertEqual(try file.read(upTo: 1000), Array(planar[0][..<1000]))
        var data = try contents(of: path)
        // A chunk of 6 bytes, before the format.
        data.insert(contentsOf: Array("note".utf8) + [6, 0, 0, 0] + Array("A title".utf8.prefix(6)), at: 12)
        try overwrite(path, with: data)
        assertSamples(try rest(of: file), equal: Array(planar[0][1000...]))
        try file.rewind()
        assertSamples(try rest(of: file), equal: planar[0])
    }

    /// As a recorder or a download does. The name may be gone by then.
    func testAFileThatGrowsIsReadAsLongAsItWasAtTheStart() throws {
        for (format, container) in [(SampleFormat.float32, FileFormat.wav), (.int24, .flac)] {
            let (long, planar) = try makeNoise(frames: 2 * frames, channels: 1, format, as: container)
            let (path, _) = try makeNoise(frames: frames, channels: 1, format, as: container)
            let file = try SoundFileReader(path: path)
            XCTAssertEqual(try file.read(upTo: 1000), Array(planar[0][..<1000]))
            try overwrite(path, with: contents(of: long))
            try FileManager.default.removeItem(atPath: path)
            assertSamples(try rest(of: file), equal: Array(planar[0][1000..<frames]))
            try file.rewind()
            assertSamples(try rest(of: file), equal: Array(planar[0][..<frames]))
        }
    }

    /// The take would be made of itself.
    func testNoRecorderBeginsInAFileThatPlays() async throws {
        let (path, planar) = try makeNoise(frames: frames, channels: 1)
        let before = try contents(of: path)
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let tool = try start("tone-sender", ["--file", path, "--loop"], at: daemon.environment())
        try await waitForPort("Tone.out", of: tool, seenBy: bus)
        // A link to a file is the same file.
        let link = "\(folder)/link.wav"
        XCTAssertEqual(unsafe Glibc.link(path, link), 0)
        try await assertOneSentence(
            start("track-recorder", ["--output", link], at: daemon.environment()), from: "track-recorder", status: 1,
            saying: "is being played, or recorded into, by another program")
        tool.signal(SIGINT)
        try await tool.waitForEnd()
        XCTAssertEqual(try contents(of: path), before)
        XCTAssertEqual(planar[0].count, frames)
        // Then it is free.
        XCTAssertNoThrow(try OutputFile(path: path).discard())
    }

    /// Nothing louder than the sound is heard, and the sender says what happened.
    func testTheSenderEndsWhenItsFileIsOverwritten() async throws {
        let daemon = try await startDaemon()
        let bus = try await connectClient(to: daemon.remote)
        let (port, keeper) = try await bus.keeper(channels: .mono)
        let quiet = signal.samples(count: 20 * 48_000, channel: 0).map { 0.01 * $0 }
        let path = try write([quiet], sampleRate: 48_000, .int16)
        // Bytes that are loud noise as integers of 16 bits.
        let (other, _) = try makeNoise(frames: 20 * 48_000, channels: 1)
        let tool = try start("tone-sender", ["--file", path], at: daemon.environment())
        try await waitForPort("Tone.out", of: tool, seenBy: bus)
        try await bus.connect("Tone", to: port)
        try await eventually("the beginning") {
            keeper.frameCount > 0 && keeper.lastSamples(ofChannel: 0, count: 480).contains { $0 != 0 }
        }
        try overwrite(path, with: contents(of: other))
        let ending = try await tool.waitForEnd(within: .seconds(60))
        XCTAssertEqual(ending, .exited(1))
        XCTAssertEqual(tool.errors.lines.count, 1, tool.errors.text)
        XCTAssertTrue(tool.errors.text.hasPrefix("tone-sender: \(path) was overwritten"), tool.errors.text)
        XCTAssertFalse(keeper.lastSamples(ofChannel: 0, count: .max).contains { !(abs($0) <= 0.01) })
    }
}
