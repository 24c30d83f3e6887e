// SPDX-License-Identifier: MIT
import XCTest

@testable import PipeBusActions

/// Formats, blocks and numbers.
final class SoundFormatTests: XCTestCase {
    func testResultFormats() {
        for (format, result) in [
            (SoundFormat(.wav, .int16), SoundFormat(.wav, .int16)),
            (SoundFormat(.aiff, .int24, byteOrder: .little), SoundFormat(.aiff, .int24, byteOrder: .little)),
            (SoundFormat(.flac, .int24), SoundFormat(.flac, .int24)),
            (SoundFormat(.au, .muLaw), SoundFormat(.au, .muLaw)),
            (SoundFormat(.ogg, .vorbis), SoundFormat(.wav, .float32)),
            (SoundFormat(.mpeg, .mpegLayer3), SoundFormat(.wav, .float32)),
            (SoundFormat(.caf, .alac20), SoundFormat(.caf, .int24)),
            (SoundFormat(.caf, .alac32), SoundFormat(.caf, .int32)),
            (SoundFormat(.voc, .muLaw), SoundFormat(.wav, .float32)),
            (SoundFormat(.sds, .int24), SoundFormat(.wav, .float64)),
            (SoundFormat(.sds, .int16), SoundFormat(.wav, .float32)),
        ] { XCTAssertEqual(format.resultFormat, result, "\(format)") }
        for format in SoundFiles.formats() {
            XCTAssert(format.resultFormat.isWritable && format.resultFormat.isLossless, "\(format)")
            XCTAssertEqual(format.resultFormat.resultFormat, format.resultFormat)
        }
    }

    func testNames() {
        XCTAssertEqual(SoundFormat(.rf64, .int16).mimeType, "audio/x-wav")
        XCTAssertEqual(SoundFormat(.rf64, .int16).fileExtension, "wav")
        XCTAssertEqual(SoundFormat(.ogg, .opus).mimeType, "audio/x-opus+ogg")
        XCTAssertEqual(SoundFormat(.mpeg, .mpegLayer3).fileExtension, "mp3")
        XCTAssertEqual("\(SoundFormat(.wav, .int16))", "WAV (Microsoft), Signed 16 bit PCM")
        XCTAssertEqual("\(SoundContainer(rawValue: 0x7FF0000))", "format 0x7ff0000")
        for format in SoundFiles.formats() {
            XCTAssert(format.mimeType.isSound, "\(format)")
            XCTAssertNotEqual(format.fileExtension, "sound", "\(format)")
        }
    }

    func testWhatFormatsHold() {
        XCTAssert(SoundFormat(.wav, .int16).holds(channelCount: 1024, sampleRate: 1))
        for (format, channelCount, rate) in [
            (SoundFormat(.wav, .int16), 1025, 48_000), (SoundFormat(.wav, .int16), 0, 48_000),
            (SoundFormat(.wav, .int16), 2, 0), (SoundFormat(.wav, .int16), 2, 1 << 31),
            (SoundFormat(.flac, .int16), 9, 48_000), (SoundFormat(.flac, .int16), 2, 96_001),
            (SoundFormat(.flac, .float32), 2, 48_000), (SoundFormat(.soundDesigner2, .int16), 2, 48_000),
            (SoundFormat(.raw, .int16), 2, 48_000),
        ] {
            XCTAssertFalse(
                format.holds(channelCount: channelCount, sampleRate: rate), "\(format), \(channelCount), \(rate)")
            XCTAssertThrowsError(
                try SoundOutput(
                    descriptor: MemoryFile().descriptor, name: "result", format: format, channelCount: channelCount,
                    sampleRate: rate)
            ) { XCTAssertEqual(($0 as? SoundError)?.code, .notRepresentable) }
        }
    }

    func testIntegersAreTheNearest() {
        for (value, bits, integer) in [
            (0.5, 8, 64), (1, 8, 127), (-1, 8, -128), (100, 8, 127), (-.infinity, 8, -128), (.infinity, 8, 127),
            (.nan, 8, 0), (0.0039, 8, 0), (0.00391, 8, 1), (-0.00391, 8, -1), (1, 32, 0x7FFF_FFFF),
            (-1, 32, -0x8000_0000),
            (32_767.0 / 32_768, 16, 32_767), (1 - 0x1p-31, 32, 0x7FFF_FFFF), (0x1p-31, 32, 1),
        ] {
            XCTAssertEqual(
                Int(SoundSamples.integer(value, bits: bits)) >> (32 - bits), integer, "\(value) in \(bits) bits")
        }
    }

    func testFloatsKeepWhatIsNoNumber() {
        for bits in [0x7F80_0001, 0xFFC0_1234, 0x7FC0_0000, 0x7F80_0000, 0x8000_0000, 1, 0x7F7F_FFFF] as [UInt32] {
            let value = SoundSamples.floats([Float(bitPattern: bits)]).values[0]
            XCTAssertEqual(SoundSamples.float(value).bitPattern, bits)
        }
        XCTAssert(SoundSamples.float(Double(bitPattern: 0x7FF0_0000_0000_0001)).isNaN)
        XCTAssertEqual(SoundSamples.float(1e300), .infinity)
    }

    func testBlocks() {
        var block = SoundBlock(samples: [1, 2, 3, -4, .nan, 0], channelCount: 2)
        XCTAssertEqual(block.frameCount, 3)
        XCTAssertEqual(block.peak, 4)
        XCTAssertEqual(block[1, 1], -4)
        XCTAssertEqual(Array(block.frame(1)), [3, -4])
        block[2, 0] = 5
        XCTAssertEqual(block.reversed().samples, [5, 0, 3, -4, 1, 2])
        XCTAssertEqual(SoundBlock(channelCount: 3).reversed(), SoundBlock(channelCount: 3))
        XCTAssertEqual(SoundBlock(channelCount: 3).peak, 0)
    }

    func testCallsThatMakeNoSense() throws {
        let file = try XCTUnwrap(SoundFiles.write(.integers([1, 2]), SoundFormat(.wav, .int16), channelCount: 1))
        let input = try SoundInput(descriptor: file.descriptor, name: "take")
        for frames in [0, -1, .min] { XCTAssertThrowsError(try input.read(upTo: frames)) }
        XCTAssertEqual(try input.read(upTo: .max).frameCount, 2)
        let result = MemoryFile()
        let output = try SoundOutput(
            descriptor: result.descriptor, name: "result", format: SoundFormat(.wav, .int16), channelCount: 2,
            sampleRate: 48_000)
        XCTAssertThrowsError(try output.write(SoundBlock(samples: [1], channelCount: 1))) {
            XCTAssert("\($0)".contains("has 2 channels"), "\($0)")
        }
        // That was no damage.
        try output.write(SoundBlock(samples: [1, 1], channelCount: 2))
        try output.finish()
        XCTAssertThrowsError(try output.write(SoundBlock(samples: [1, 1], channelCount: 2))) {
            XCTAssert("\($0)".contains("is finished"), "\($0)")
        }
    }
}
