// SPDX-License-Identifier: MIT
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

final class WaveFileWriterTests: ToolTestCase {
    private let signal = TestSignal(.noise(seed: 1))

    private func writer(_ path: String, _ format: SampleFormat, channels: Int = 1) throws -> SoundFileWriter {
        try SoundFileWriter(try OutputFile(path: path), channelCount: channels, sampleRate: 44_100, format: format)
    }

    func testTheFileCanBePlayedAfterEveryWrite() throws {
        for format in SampleFormat.allCases {
            let path = "\(folder)/\(format).wav"
            var wav = try writer(path, format)
            var written: [Float] = []
            for count in [1, 1000, 7, 1, 4096] {
                let samples = signal.samples(from: UInt64(written.count), count: count)
                try wav.write(samples[...])
                written += samples
                let file = try WaveFile.read(path)
                XCTAssertEqual(file.channels[0].count, written.count)
                XCTAssertEqual(file.sampleRate, 44_100)
                XCTAssertEqual(file.bits, format.rawValue)
            }
            try wav.close()
            XCTAssertEqual(try WaveFile.read(path).channels[0].count, written.count)
        }
    }

    func testWhatWasReadIsWrittenBackUnchanged() throws {
        for format in SampleFormat.allCases {
            let first = "\(folder)/first.wav"
            let second = "\(folder)/second.wav"
            var wav = try writer(first, format, channels: 2)
            try wav.write(signal.samples(count: 5000)[...])
            try wav.close()
            let clip = try AudioClip(contentsOf: first)
            XCTAssertEqual(clip.frameCount, 2500)
            var copy = try writer(second, format, channels: 2)
            try copy.write(clip.samples[...])
            try copy.close()
            XCTAssertEqual(try WaveFile.read(first).channels, try WaveFile.read(second).channels)
        }
    }

    func testNoNumberAtAllIsSilenceInAFileOfIntegers() throws {
        let path = "\(folder)/odd.wav"
        var wav = try writer(path, .int16)
        try wav.write([.nan, .infinity, -.infinity, 0.5][...])
        try wav.close()
        XCTAssertEqual(try WaveFile.read(path).channels[0], [0, 32_767 / 32_768, -1, 0.5])
    }

    func testSilenceIsSilenceWhereverItIs() throws {
        for format in SampleFormat.allCases {
            for frames in [0, 1, 2, 1000] {
                let path = "\(folder)/silence.wav"
                let sound = signal.samples(count: 30).map { ($0 * 128).rounded() / 128 }
                var wav = try writer(path, format, channels: 2)
                try wav.writeSilence(frames: frames)
                try wav.write(sound[...])
                try wav.writeSilence(frames: frames)
                XCTAssertEqual(try WaveFile.read(path).channels[0].count, 2 * frames + 15, "before the end")
                try wav.write(sound[...])
                try wav.writeSilence(frames: frames)
                XCTAssertEqual(wav.frameCount, 3 * frames + 30)
                try wav.close()
                let silence = [Float](repeating: 0, count: frames)
                for (channel, samples) in try WaveFile.read(path).channels.enumerated() {
                    let part = stride(from: channel, to: 30, by: 2).map { sound[$0] }
                    assertSamples(samples, equal: silence + part + silence + part + silence, channel: channel)
                }
            }
        }
    }

    /// Mostly a hole: it takes no room on the disk.
    func testBeyondFourGibibytesItIsAnRF64FileWhichCanBePlayedAtAnyMoment() throws {
        let path = "\(folder)/long.wav"
        var wav = try writer(path, .float32, channels: 8)
        let sound = signal.samples(count: 80)
        try wav.write(sound[...])
        let hour = 3600 * 48_000
        try wav.writeSilence(frames: hour)
        try wav.write(sound[...])
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        XCTAssertEqual(try file.read(upToCount: 4), Data("RF64".utf8))
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        XCTAssertGreaterThan(size, hour * 32)
        func check() throws {
            try file.seek(toOffset: 12)
            let chunk = [UInt8](try file.read(upToCount: 32) ?? Data())
            XCTAssertEqual(String(decoding: chunk[..<4], as: UTF8.self), "ds64")
            func number(_ place: Int) -> Int { (0..<8).reduce(0) { $0 | Int(chunk[place + $1]) << (8 * $1) } }
            XCTAssertEqual(number(8), size - 8, "the whole")
            XCTAssertEqual(number(16), (hour + 20) * 32, "the sound")
        }
        try check()
        try file.seek(toOffset: UInt64(size - 320))
        let end = [UInt8](try file.read(upToCount: 320) ?? Data())
        XCTAssertEqual(end, sound.flatMap { sample in (0..<4).map { UInt8(sample.bitPattern >> (8 * $0) & 0xFF) } })
        try wav.close()
        try check()
    }

    // MARK: Without a descriptor

    private func isOpen(_ path: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                == URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        }
    }

    func testAClosedFileIsGoneOnWithWhereItWasLeft() throws {
        for format in SampleFormat.allCases {
            let path = "\(folder)/\(format).wav"
            let sound = signal.samples(count: 21).map { ($0 * 128).rounded() / 128 }
            var wav = try writer(path, format)
            func rest(_ wav: inout SoundFileWriter, having samples: [Float]) throws {
                XCTAssertTrue(try isOpen(path))
                try wav.suspend()
                try wav.suspend()
                XCTAssertFalse(try isOpen(path))
                assertSamples(try WaveFile.read(path).channels[0], equal: samples)
                XCTAssertTrue(try wav.resume())
                XCTAssertTrue(try wav.resume())
            }
            let silence: [Float] = [0, 0, 0]
            try rest(&wav, having: [])
            try wav.write(sound[..<7])
            try rest(&wav, having: Array(sound[..<7]))
            try wav.writeSilence(frames: 3)
            try rest(&wav, having: sound[..<7] + silence)
            try wav.write(sound[7...])
            try rest(&wav, having: sound[..<7] + silence + sound[7...])
            try wav.write([0.5][...])
            try wav.close()
            XCTAssertFalse(try isOpen(path))
            assertSamples(try WaveFile.read(path).channels[0], equal: sound[..<7] + silence + sound[7...] + [0.5])
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 1
            XCTAssertEqual(size % 2, 0)
        }
    }

    func testAFileBeyondFourGibibytesIsGoneOnWithToo() throws {
        let path = "\(folder)/long.wav"
        var wav = try writer(path, .float32, channels: 8)
        let sound = signal.samples(count: 80)
        let hour = 3600 * 48_000
        try wav.writeSilence(frames: hour)
        try wav.suspend()
        XCTAssertTrue(try wav.resume())
        try wav.write(sound[...])
        try wav.suspend()
        XCTAssertTrue(try wav.resume())
        try wav.write(sound[...])
        try wav.close()
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let header = [UInt8](try file.read(upToCount: 44) ?? Data())
        func number(_ place: Int) -> Int { (0..<8).reduce(0) { $0 | Int(header[place + $1]) << (8 * $1) } }
        XCTAssertEqual(String(decoding: header[..<4], as: UTF8.self), "RF64")
        XCTAssertEqual(number(28), (hour + 20) * 32, "the sound")
        try file.seek(toOffset: UInt64(number(20) + 8 - 640))
        let end = [UInt8](try file.read(upToCount: 641) ?? Data())
        XCTAssertEqual(
            end, (sound + sound).flatMap { sample in (0..<4).map { UInt8(sample.bitPattern >> (8 * $0) & 0xFF) } })
    }

    func testAFileThatIsNotAsItWasLeftIsNotGoneOnWith() throws {
        let path = "\(folder)/changed.wav"
        var wav = try writer(path, .float32)
        try wav.write(signal.samples(count: 10)[...])
        try wav.suspend()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: [0])
        XCTAssertFalse(try wav.resume())
        try file.truncate(atOffset: file.offset() - 1)
        XCTAssertTrue(try wav.resume())
        try wav.suspend()
        let content = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        XCTAssertFalse(try wav.resume())
        try content.write(to: URL(fileURLWithPath: path))
        XCTAssertFalse(try wav.resume(), "another file of the same name")
        try wav.close()
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), content)
    }

    func testARemovedFileIsGoneOnWithInAnother() throws {
        let path = "\(folder)/first.wav"
        let sound = signal.samples(count: 20_000)
        var wav = try writer(path, .float32)
        try wav.write(sound[..<10_000])
        try wav.writeSilence(frames: 100_000)
        XCTAssertFalse(wav.isRemoved)
        try FileManager.default.removeItem(atPath: path)
        XCTAssertTrue(wav.isRemoved)
        try wav.move(to: OutputFile(path: "\(folder)/second.wav"))
        XCTAssertEqual(wav.path, "\(folder)/second.wav")
        XCTAssertFalse(wav.isRemoved)
        let silence = [Float](repeating: 0, count: 100_000)
        assertSamples(try WaveFile.read(wav.path).channels[0], equal: sound[..<10_000] + silence)
        try wav.write(sound[10_000...])
        try wav.close()
        assertSamples(
            try WaveFile.read("\(folder)/second.wav").channels[0],
            equal: sound[..<10_000] + silence + sound[10_000...])
    }
}
