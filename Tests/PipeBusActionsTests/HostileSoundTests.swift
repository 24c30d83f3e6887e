// SPDX-License-Identifier: MIT
import Foundation
import SeededRandom
import XCTest

@testable import PipeBusActions

/// Files that are not what they say: nothing traps, nothing takes for ever, and no frame is made up.
final class HostileSoundTests: XCTestCase {
    /// Looks at all of a file that may be anything.
    ///
    /// - Returns: its number of frames; `nil` if it was refused with a sentence.
    @discardableResult
    private func examine(_ file: MemoryFile, _ what: @autoclosure () -> String, limit: Int = 1 << 18) -> Int? {
        do {
            let input = try SoundInput(descriptor: file.descriptor, name: "take", largestFrameCount: limit)
            XCTAssert((1...1024).contains(input.channelCount) && input.sampleRate > 0, what())
            let frameCount = try input.frameCount
            if let size = input.format.encoding.byteCount, ![.flac, .sds, .paf].contains(input.format.container) {
                XCTAssertLessThanOrEqual(frameCount * input.channelCount * size, file.size, what())
            }
            var read = 0
            while true {
                let block = try input.read(upTo: 5_000)
                if block.isEmpty { break }
                read += block.frameCount
            }
            XCTAssertEqual(read, frameCount, what())
            if frameCount > 0 {
                try input.seek(to: frameCount - 1)
                XCTAssertEqual(try input.read(upTo: 10).frameCount, 1, what())
            }
            XCTAssertThrowsError(try input.seek(to: frameCount + 1), what())
            XCTAssertThrowsError(try input.seek(to: -1), what())
            return frameCount
        } catch let error as SoundError {
            XCTAssert(error.message.hasSuffix("."), "\(what()): \(error)")
            XCTAssertFalse(error.message.contains("\n"), "\(what()): \(error)")
            return nil
        } catch {
            XCTFail("\(what()): \(error)")
            return nil
        }
    }

    // MARK: Headers

    private struct WaveHeader {
        var channels = 2
        var rate = 44_100
        var bits = 16
        var dataSize = 40
        var riffSize = 76

        /// With 40 bytes of sound, whatever the header says.
        var bytes: [UInt8] {
            func number(_ value: Int, _ count: Int) -> [UInt8] {
                (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            }
            let frameSize = channels * (bits / 8)
            return Array("RIFF".utf8) + number(riffSize, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + number(1, 2)
                + number(channels, 2) + number(rate, 4) + number(rate &* frameSize, 4) + number(frameSize, 2)
                + number(bits, 2) + Array("data".utf8) + number(dataSize, 4) + (0..<40).map { UInt8($0) }
        }
    }

    func testHeadersThatLieAboutTheLength() {
        for dataSize in [0, 1, 39, 40, 41, 44, 1_000_000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFF0, 0xFFFF_FFFF] {
            for riffSize in [0, 4, 76, 0x7FFF_FFFF, 0xFFFF_FFFF] {
                let file = MemoryFile(WaveHeader(dataSize: dataSize, riffSize: riffSize).bytes)
                let frames = examine(file, "\(dataSize) in \(riffSize)")
                if dataSize >= 40 { XCTAssertEqual(frames, 10, "\(dataSize) in \(riffSize)") }
            }
        }
    }

    func testHeadersThatLieAboutChannelsAndRate() {
        for channels in [0, 1, 5, 20, 21, 1_024, 1_025, 65_535] {
            for bits in [0, 1, 8, 12, 16, 24, 32, 64, 65_535] {
                for rate in [0, 1, 44_100, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] {
                    examine(
                        MemoryFile(WaveHeader(channels: channels, rate: rate, bits: bits).bytes),
                        "\(channels) channels of \(bits) bits at \(rate) Hz")
                }
            }
        }
        XCTAssertEqual(examine(MemoryFile(WaveHeader(channels: 1, rate: 0x7FFF_FFFF).bytes), "the largest rate"), 20)
        XCTAssertNil(examine(MemoryFile(WaveHeader(channels: 0).bytes), "no channels"))
        XCTAssertNil(examine(MemoryFile(WaveHeader(channels: 1_025).bytes), "too many channels"))
        XCTAssertNil(examine(MemoryFile(WaveHeader(rate: 0).bytes), "no rate"))
    }

    /// A FLAC file says in 36 bits how long it is; 0 is a stream whose length nobody knew.
    func testAFLACFileOfAnotherLengthThanItSays() throws {
        var random = SeededGenerator(seed: 8)
        let format = SoundFormat(.flac, .int16)
        let samples = SoundFiles.samples(2 * 10_001, for: format, &random)
        let good = try XCTUnwrap(SoundFiles.write(samples, format, channelCount: 2))
        let decoded = try XCTUnwrap(SoundFiles.decode(good))
        for (claimed, frameCount) in [(0, 10_001), (10_002, 10_001), (1 << 35, 10_001), (9_000, 9_000), (1, 1)] {
            let file = MemoryFile(good.bytes)
            // After "fLaC", the block's head of 4 bytes and 13 bytes of sizes and rate.
            let high = file.bytes[21] & 0xF0 | UInt8(claimed >> 32)
            file.put([high] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: claimed >> $0) }, at: 21)
            let input = try SoundInput(descriptor: file.descriptor, name: "stream.flac")
            XCTAssertEqual(input.claimedFrameCount, claimed == 0 ? nil : claimed)
            XCTAssertEqual(try input.frameCount, frameCount, "\(claimed) frames are claimed")
            for _ in 0..<20 {
                let frame = Int.random(in: 0..<frameCount, using: &random)
                try input.seek(to: frame)
                XCTAssertEqual(try input.read(upTo: 1).samples, Array(decoded[2 * frame..<2 * frame + 2]))
            }
        }
    }

    /// libsndfile repeats what came before a block that is missing.
    func testAMIDIDumpWithoutAllOfItsBlocks() throws {
        let format = SoundFormat(.sds, .int16)
        var random = SeededGenerator(seed: 2)
        let good = try XCTUnwrap(
            SoundFiles.write(SoundFiles.samples(400, for: format, &random), format, channelCount: 1))
        XCTAssertEqual(examine(good, "all blocks"), 400)
        let bytes = good.bytes
        var damaged = bytes
        // The fourth block.
        damaged[21 + 3 * 127] = 0
        for bytes in [damaged, Array(bytes[..<(21 + 4 * 127 - 1)]), Array(bytes[..<12])] {
            let file = MemoryFile(bytes)
            XCTAssertThrowsError(try SoundInput(descriptor: file.descriptor, name: "take")) {
                XCTAssert("\($0)".contains("is a damaged MIDI sample dump: block"), "\($0)")
            }
        }
    }

    /// The fuzzer's files, some of which libsndfile would read for ever.
    func testTheKeptFilesOfTheFuzzer() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fuzzing/Corpus/sound")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        XCTAssertGreaterThan(files.count, 40)
        for file in files { examine(MemoryFile(Array(try Data(contentsOf: file))), file.lastPathComponent) }
    }

    func testWhatIsNoSoundFile() {
        for (bytes, words) in [
            ([], "is empty"), ([0], "no sound file"), (Array("Dear reader, this is a letter.".utf8), "no sound file"),
            ([UInt8](repeating: 0, count: 10_000), "Sound Designer II"),
        ] {
            let file = MemoryFile(bytes)
            XCTAssertThrowsError(try SoundInput(descriptor: file.descriptor, name: "Letter\u{1B}[2J.txt")) {
                XCTAssert("\($0)".contains(words), "\($0)")
                XCTAssertFalse("\($0)".contains("\u{1B}"), "\($0)")
            }
        }
        var ends: [Int32] = [0, 0]
        XCTAssertEqual(unsafe pipe(&ends), 0)
        XCTAssertThrowsError(try SoundInput(descriptor: ends[0], name: "pipe")) {
            XCTAssert("\($0)".contains("is not a file"), "\($0)")
        }
        ends.forEach { close($0) }
        XCTAssertThrowsError(try SoundInput(descriptor: -1, name: "none"))
        let folder = unsafe open("/", O_RDONLY | O_DIRECTORY)
        XCTAssertThrowsError(try SoundInput(descriptor: folder, name: "root")) {
            XCTAssert("\($0)".contains("is a folder"), "\($0)")
        }
        close(folder)
    }

    // MARK: Damage

    /// One file of each container and encoding.
    private func files(_ random: inout SeededGenerator) -> [(format: SoundFormat, file: MemoryFile)] {
        SoundFiles.formats().filter { $0.byteOrder == .ofContainer }.compactMap { format in
            let channelCount = SoundFiles.check(format, channelCount: 2) ? 2 : 1
            let samples = SoundFiles.samples(channelCount * 700, for: format, &random)
            return SoundFiles.write(samples, format, channelCount: channelCount).map { (format, $0) }
        }
    }

    func testTruncatedFiles() {
        var random = SeededGenerator(seed: 40)
        for (format, file) in files(&random) {
            let bytes = file.bytes
            let whole = examine(file, "\(format)") ?? 0
            for _ in 0..<12 {
                let count = Int.random(in: 0..<bytes.count, using: &random)
                let frames = examine(MemoryFile(Array(bytes[..<count])), "\(format), \(count) of \(bytes.count) bytes")
                // A header that is cut off may be that of another format.
                if format.encoding.byteCount != nil, count > bytes.count / 2 {
                    XCTAssertLessThanOrEqual(frames ?? 0, whole, "\(format), \(count) of \(bytes.count) bytes")
                }
            }
        }
    }

    func testDamagedFiles() {
        var random = SeededGenerator(seed: 41)
        for (format, file) in files(&random) {
            let bytes = file.bytes
            for round in 0..<12 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    // Mostly the header.
                    let end = round % 3 == 0 ? bytes.count : min(bytes.count, 80)
                    let place = Int.random(in: 0..<end, using: &random)
                    damaged[place] = [0, 1, 0x7F, 0x80, 0xFF, UInt8(truncatingIfNeeded: random.next())]
                        .randomElement(using: &random)!
                }
                examine(MemoryFile(damaged), "\(format), round \(round)")
            }
        }
    }
}
