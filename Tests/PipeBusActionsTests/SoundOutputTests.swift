// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBusActions

/// What is written is what is read: each frame, each sample, and what the file says beside them.
final class SoundOutputTests: XCTestCase {
    private func write(
        _ blocks: [SoundBlock], _ format: SoundFormat, channelCount: Int, metadata: SoundMetadata = SoundMetadata(),
        rate: Int? = nil, expectedFrameCount: Int? = nil
    ) throws -> MemoryFile {
        let file = MemoryFile([1, 2, 3])
        let output = try SoundOutput(
            descriptor: file.descriptor, name: "output", format: format, channelCount: channelCount,
            sampleRate: rate ?? Int(SoundFiles.rate(format)), expectedFrameCount: expectedFrameCount)
        output.metadata = metadata
        for block in blocks { try output.write(block) }
        try output.finish()
        try output.finish()
        XCTAssertEqual(output.frameCount, blocks.reduce(0) { $0 + $1.frameCount })
        return file
    }

    func testItCountsWhatIsClipped() throws {
        for (format, count) in [
            (SoundFormat(.wav, .int16), 3), (SoundFormat(.flac, .int24), 3), (SoundFormat(.ogg, .vorbis), 3),
            (SoundFormat(.au, .muLaw), 3), (SoundFormat(.wav, .float32), 0), (SoundFormat(.caf, .float64), 0),
        ] {
            let file = MemoryFile()
            let output = try SoundOutput(
                descriptor: file.descriptor, name: "output", format: format, channelCount: 1, sampleRate: 48_000)
            try output.write(SoundBlock(samples: [1, -1, 0.99999, 1.00001, .nan], channelCount: 1))
            try output.write(SoundBlock(samples: [-.infinity, -2], channelCount: 1))
            XCTAssertEqual(output.clippedSampleCount, count, "\(format)")
        }
    }

    func testEveryLosslessFormatKeepsEveryFrame() throws {
        var random = SeededGenerator(seed: 3)
        var tried = 0
        for format in SoundFiles.formats() where format.isLossless && format.isWritable {
            for (channelCount, frameCount) in [(1, 0), (1, 1), (1, 2), (2, 3), (1, 1_023), (2, 1_999), (6, 41)]
            where format.holds(channelCount: channelCount, sampleRate: Int(SoundFiles.rate(format))) {
                let bits = format.encoding.bitCount
                let samples: [Double] = (0..<channelCount * frameCount).map { number in
                    switch format.encoding {
                    case .float64: return Double(bitPattern: random.next())
                    case .float32: return Double(Float.random(in: -2...2, using: &random))
                    case .muLaw: return Double(Self.muLaw[Int(random.next() % 256)]) / 32_768
                    case .aLaw: return Double(Self.aLaw[Int(random.next() % 256)]) / 32_768
                    default:
                        let value = Int32(truncatingIfNeeded: random.next()) >> Int32(32 - bits)
                        return Double(
                            number % 5 == 0
                                ? [-1 << Int32(bits - 1), ~(-1 << Int32(bits - 1))].randomElement(using: &random)!
                                : value) / Double(1 << (bits - 1))
                    }
                }
                let what = "\(format), \(channelCount) channels, \(frameCount) frames"
                do {
                    let half = frameCount / 2 * channelCount
                    let file = try write(
                        [samples[..<half], samples[half...]].map {
                            SoundBlock(samples: Array($0), channelCount: channelCount)
                        }, format, channelCount: channelCount)
                    let input = try SoundInput(descriptor: file.descriptor, name: "output")
                    XCTAssertEqual(input.channelCount, channelCount, what)
                    XCTAssertEqual(try input.frameCount, frameCount, what)
                    let read = frameCount == 0 ? [] : try input.read(upTo: frameCount).samples
                    XCTAssertEqual(read.map(\.bitPattern), samples.map(\.bitPattern), what)
                    XCTAssert(try input.read(upTo: 1).isEmpty, what)
                    tried += 1
                } catch {
                    XCTFail("\(what): \(error)")
                }
            }
        }
        XCTAssertGreaterThan(tried, 500)
    }

    /// The values of ITU-T G.711, in 16 bits, each once more by its formula.
    private static let muLaw: [Int] = (0..<256).map { code in
        let (low, segment) = (code & 15, code >> 4 & 7)
        let size = ((2 * low + 33) << (segment + 2)) - 132
        return code < 128 ? size : -size
    }

    private static let aLaw: [Int] = (0..<256).map { code in
        let (low, segment) = (code & 15, code >> 4 & 7)
        let size = segment == 0 ? (2 * low + 1) << 3 : (2 * low + 33) << (segment + 2)
        return code < 128 ? size : -size
    }
}
