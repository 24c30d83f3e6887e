// SPDX-License-Identifier: MIT
import CSndFile
import Foundation
import XCTest

@testable import PipeBusActions
@testable import reverse_audio

/// What files say beside their sound.
final class SoundMetadataTests: XCTestCase {
    private func file(_ metadata: SoundMetadata, _ format: SoundFormat, channelCount: Int = 1) throws -> MemoryFile {
        let file = MemoryFile()
        let output = try SoundOutput(
            descriptor: file.descriptor, name: "take", format: format, channelCount: channelCount, sampleRate: 48_000,
            expectedFrameCount: 100)
        output.metadata = metadata
        try output.write(
            SoundBlock(samples: [Double](repeating: 0.5, count: 100 * channelCount), channelCount: channelCount))
        try output.finish()
        return file
    }

    private func metadata(_ file: MemoryFile) throws -> SoundMetadata {
        let input = try SoundInput(descriptor: file.descriptor, name: "take")
        XCTAssertEqual(try input.frameCount, 100)
        XCTAssertEqual(try input.read(upTo: 100).samples.first ?? 0, 0.5, accuracy: 0.01)
        return input.metadata
    }

    func testTexts() throws {
        var metadata = SoundMetadata()
        metadata.texts = [.title: "Übung № 1", .artist: "Zoë", .comment: "two\nlines", .date: "2026", .genre: "Étude"]
        for format in [
            SoundFormat(.wav, .int16), SoundFormat(.rf64, .int24), SoundFormat(.flac, .int16),
            SoundFormat(.caf, .int16),
            SoundFormat(.ogg, .vorbis),
        ] {
            let read = try self.metadata(file(metadata, format)).texts
            for (text, value) in metadata.texts { XCTAssertEqual(read[text], value, "\(format), \(text)") }
        }
        XCTAssertEqual(
            try self.metadata(file(metadata, SoundFormat(.aiff, .int16))).texts[.title], metadata.texts[.title])
        // A format without texts is written without.
        XCTAssertEqual(try self.metadata(file(metadata, SoundFormat(.htk, .int16))).texts, [:])
    }

    func testTextsOfAnyLength() throws {
        var metadata = SoundMetadata()
        for text in SoundMetadata.Text.allCases {
            metadata.texts[text] = String(repeating: "x", count: 8_000)
        }
        for format in [
            SoundFormat(.wav, .int16), SoundFormat(.flac, .int16), SoundFormat(.aiff, .int16),
            SoundFormat(.caf, .int16),
        ] {
            XCTAssertNoThrow(try self.metadata(file(metadata, format)), "\(format)")
        }
        metadata.texts = [.title: String(repeating: "x", count: 100_000)]
        XCTAssertEqual(try self.metadata(file(metadata, SoundFormat(.wav, .int16))).texts, [:])
    }

    func testChannels() throws {
        var metadata = SoundMetadata()
        metadata.channelMap = [.left, .right, .center, .lowFrequency, .rearLeft, .rearRight]
        for format in [SoundFormat(.wavex, .int16), SoundFormat(.caf, .int16)] {
            XCTAssertEqual(
                try self.metadata(file(metadata, format, channelCount: 6)).channelMap, metadata.channelMap, "\(format)")
        }
        // One for other channels is left out.
        XCTAssertEqual(try self.metadata(file(metadata, SoundFormat(.wavex, .int16), channelCount: 5)).channelMap, [])
    }

    func testMarkersAndLoopsAreReversedWithTheirFrames() throws {
        var metadata = SoundMetadata()
        metadata.markers = [.init(frame: 0, name: ""), .init(frame: 30, name: ""), .init(frame: 100, name: "")]
        metadata.instrument = [UInt8](repeating: 0, count: MemoryLayout<SF_INSTRUMENT>.size)
        metadata.loops = [.init(first: 10, last: 19, mode: Int32(SF_LOOP_FORWARD), count: 3)]
        let format = SoundFormat(.wav, .int16)
        let file = try file(metadata, format)
        XCTAssertEqual(try self.metadata(file).markers.map(\.frame), [0, 30, 100])
        XCTAssertEqual(try self.metadata(file).loops.count, 1)
        let input = try SoundInput(descriptor: file.descriptor, name: "take")
        let result = MemoryFile()
        let output = try SoundOutput(
            descriptor: result.descriptor, name: "result", format: format, channelCount: 1, sampleRate: 48_000,
            expectedFrameCount: 100)
        var parts: [Double] = []
        try Reversal.reverse(input, into: output) { parts.append($0) }
        try output.finish()
        XCTAssertEqual(parts, [1])
        let read = try self.metadata(result)
        XCTAssertEqual(read.markers.map(\.frame), [0, 70, 100])
        XCTAssertEqual(read.loops.map(\.first), [80])
        XCTAssertEqual(read.loops.map(\.last), [89])
        XCTAssertEqual(metadata.reversed(frameCount: 100).reversed(frameCount: 100).loops, metadata.loops)
    }

    func testABroadcastRecord() throws {
        let file = MemoryFile()
        var info = SF_INFO()
        (info.channels, info.samplerate, info.format) = (1, 48_000, Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_16))
        let handle = unsafe sf_open_fd(file.descriptor, Int32(SFM_WRITE), &info, 0)
        var record = SF_BROADCAST_INFO()
        record.time_reference_low = 12_345
        let size = Int32(MemoryLayout<SF_BROADCAST_INFO>.size)
        XCTAssertEqual(unsafe sf_command(handle, Int32(SFC_SET_BROADCAST_INFO), &record, size), Int32(SF_TRUE))
        XCTAssertEqual(unsafe sf_writef_int(handle, [Int32](repeating: 1 << 30, count: 100), 100), 100)
        unsafe sf_close(handle)
        let copy = try self.file(metadata(file), SoundFormat(.wav, .int16))
        lseek(copy.descriptor, 0, SEEK_SET)
        let second = unsafe sf_open_fd(copy.descriptor, Int32(SFM_READ), &info, 0)
        var read = SF_BROADCAST_INFO()
        XCTAssertEqual(unsafe sf_command(second, Int32(SFC_GET_BROADCAST_INFO), &read, size), Int32(SF_TRUE))
        XCTAssertEqual(read.time_reference_low, 12_345)
        unsafe sf_close(second)
    }
}
