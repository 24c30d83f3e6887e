// SPDX-License-Identifier: MIT
import SeededRandom
import XCTest

@testable import PipeBusActions
@testable import reverse_audio

/// Reversing is exact: in every format that libsndfile writes.
final class ReversalTests: XCTestCase {
    private static func reversed(_ file: MemoryFile) throws -> (result: MemoryFile, format: SoundFormat) {
        let input = try SoundInput(descriptor: file.descriptor, name: "input")
        let format = input.resultFormat
        let result = MemoryFile()
        let output = try SoundOutput(
            descriptor: result.descriptor, name: "result", format: format, channelCount: input.channelCount,
            sampleRate: input.sampleRate, expectedFrameCount: input.frameCount)
        try Reversal.reverse(input, into: output)
        try output.finish()
        return (result, format)
    }

    /// All samples, read in blocks of random lengths.
    private static func samples(_ file: MemoryFile, _ random: inout SeededGenerator) throws -> [Double] {
        let input = try SoundInput(descriptor: file.descriptor, name: "input")
        var samples: [Double] = []
        while true {
            let block = try input.read(upTo: .random(in: 1...3_000, using: &random))
            if block.isEmpty { break }
            samples += block.samples
        }
        XCTAssertEqual(try input.frameCount, samples.count / input.channelCount)
        return samples
    }

    private static func reference(_ samples: [Double], channelCount: Int) -> [Double] {
        stride(from: samples.count - channelCount, through: 0, by: -channelCount).flatMap {
            samples[$0..<$0 + channelCount]
        }
    }

    private static func bits(_ samples: [Double]) -> [UInt64] { samples.map(\.bitPattern) }

    func testReversingTwiceIsTheIdentityInEveryFormat() throws {
        var random = SeededGenerator(seed: 14)
        var tried: Set<SoundFormat> = []
        var lossless = 0
        for format in SoundFiles.formats() {
            for (channelCount, frameCount) in [(1, 1), (1, 1_501), (2, 333), (5, 111)]
            where SoundFiles.check(format, channelCount: channelCount) {
                let samples = SoundFiles.samples(channelCount * frameCount, for: format, &random)
                guard let file = SoundFiles.write(samples, format, channelCount: channelCount) else { continue }
                let what = "\(format), \(channelCount) channels, \(frameCount) frames"
                guard let decoded = SoundFiles.decode(file) else { return XCTFail("\(what) cannot be decoded") }
                tried.insert(format)
                do {
                    XCTAssertEqual(Self.bits(try Self.samples(file, &random)), Self.bits(decoded), what)
                    let (once, resultFormat) = try Self.reversed(file)
                    XCTAssertEqual(
                        Self.bits(try Self.samples(once, &random)),
                        Self.bits(Self.reference(decoded, channelCount: channelCount)),
                        "\(what), once as \(resultFormat)")
                    let (twice, _) = try Self.reversed(once)
                    XCTAssertEqual(
                        Self.bits(try Self.samples(twice, &random)), Self.bits(decoded), "\(what), twice")
                    if format.isLossless, format.isWritable,
                        ![.alac16, .alac20, .alac24, .alac32].contains(format.encoding)
                    {
                        XCTAssertEqual(resultFormat.container, format.container, what)
                        XCTAssertEqual(resultFormat.encoding, format.encoding, what)
                        lossless += 1
                    }
                } catch {
                    XCTFail("\(what): \(error)")
                }
            }
        }
        // All of libsndfile 1.2, in three byte orders where a format has them.
        XCTAssertGreaterThan(tried.count, 250)
        XCTAssertGreaterThan(lossless, 700)
    }
}
