// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// FLAC files, read by libsndfile: also those that nobody has finished.
final class FLACWriterTests: ToolTestCase {
    private let signal = TestSignal(.noise(seed: 2), gain: 0.5)
    private let block = 4096

    private func writer(_ path: String, _ format: SampleFormat = .int24, channels: Int = 1) throws -> SoundFileWriter {
        try SoundFileWriter(
            try OutputFile(path: path, replacing: .flac), channelCount: channels, sampleRate: 44_100, format: format,
            as: .flac)
    }

    private func rounded(_ samples: some Sequence<Float>, bits: Int = 24) -> [Float] {
        let scale = Float(1 << (bits - 1))
        return samples.map { ($0 * scale).rounded() / scale + 0 }
    }

    func testTheFileCanBePlayedAfterEveryBlock() throws {
        for format in [SampleFormat.int16, .int24] {
            let path = "\(folder)/\(format).flac"
            var flac = try writer(path, format)
            var written: [Float] = []
            for count in [block + 1, 1, 1000, 3 * block, 5] {
                let samples = signal.samples(from: UInt64(written.count), count: count)
                try flac.write(samples[...])
                written += samples
                let clip = try AudioClip(contentsOf: path)
                XCTAssertEqual(clip.sampleRate, 44_100)
                // The encoder keeps the last block until the next one begins.
                XCTAssertGreaterThan(clip.frameCount, written.count - block - 1)
                assertSamples(clip.samples, equal: rounded(written[..<clip.frameCount], bits: format.rawValue))
            }
            XCTAssertEqual(flac.frameCount, written.count)
            try flac.close()
            assertSamples(try AudioClip(contentsOf: path).samples, equal: rounded(written, bits: format.rawValue))
        }
    }

    /// At the rates that are refused no file could be begun, and at the others it can.
    func testTheRatesThatAFileCanHave() {
        for rate in [8000, 44_101, 65_535, 65_536, 65_537, 65_540, 96_001, 192_000, 352_800, 383_999, 384_000] {
            let header = try? SoundFileWriter.header(channelCount: 2, sampleRate: rate, format: .int24, as: .flac)
            XCTAssertEqual(header != nil, FileFormat.flac.holds(sampleRate: rate), "\(rate) Hz")
            XCTAssertTrue(FileFormat.wav.holds(sampleRate: rate))
        }
    }

    func testAClosedFileIsGoneOnWithWhereItWasLeft() throws {
        let path = "\(folder)/take.flac"
        let sound = signal.samples(count: 20_000)
        var flac = try writer(path, channels: 2)
        try flac.suspend()
        XCTAssertTrue(try flac.resume())
        try flac.write(sound[..<10_000])
        try flac.writeSilence(frames: 1000)
        try flac.suspend()
        try flac.suspend()
        XCTAssertEqual(try AudioClip(contentsOf: path).frameCount, block)
        XCTAssertTrue(try flac.resume())
        XCTAssertTrue(try flac.resume())
        try flac.write(sound[10_000...])
        try flac.close()
        let silence = [Float](repeating: 0, count: 2000)
        assertSamples(
            try AudioClip(contentsOf: path).samples,
            equal: rounded(sound[..<10_000]) + silence + rounded(sound[10_000...]))
    }

    func testAFileThatIsNotAsItWasLeftIsNotGoneOnWith() throws {
        let path = "\(folder)/changed.flac"
        var flac = try writer(path)
        try flac.write(signal.samples(count: 2 * block)[...])
        try flac.suspend()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: [0])
        XCTAssertFalse(try flac.resume())
        try file.truncate(atOffset: file.offset() - 1)
        XCTAssertTrue(try flac.resume())
        try flac.close()
        XCTAssertEqual(try AudioClip(contentsOf: path).frameCount, 2 * block)
    }

    func testARemovedFileIsGoneOnWithInAnother() throws {
        let path = "\(folder)/first.flac"
        let sound = signal.samples(count: 20_000)
        var flac = try writer(path)
        try flac.write(sound[..<10_000])
        try FileManager.default.removeItem(atPath: path)
        XCTAssertTrue(flac.isRemoved)
        try flac.move(to: OutputFile(path: "\(folder)/second.flac"))
        try flac.write(sound[10_000...])
        try flac.close()
        assertSamples(try AudioClip(contentsOf: "\(folder)/second.flac").samples, equal: rounded(sound))
    }

    func testAnotherFormatsFileIsLeftAlone() throws {
        let wav = "\(folder)/take.wav"
        try WaveFile.write([0.5], channelCount: 1, sampleRate: 48_000, to: wav)
        XCTAssertThrowsError(try OutputFile(path: wav, replacing: .flac)) {
            XCTAssertTrue(($0 as? ToolFailure)?.message.contains("is no FLAC file") == true, "\($0)")
        }
        let path = "\(folder)/take.flac"
        try writer(path).close()
        XCTAssertThrowsError(try OutputFile(path: path))
        XCTAssertThrowsError(try OutputFolder(path: folder))
        XCTAssertTrue(try OutputFile(path: path, replacing: .flac).holdsContent)
    }
}
