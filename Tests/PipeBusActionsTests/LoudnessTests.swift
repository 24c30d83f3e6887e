// SPDX-License-Identifier: MIT
import Foundation
import SeededRandom
import XCTest

@testable import PipeBusActions
@testable import normalize_loudness

/// The loudness of what was normalised, by a meter that shares nothing with libebur128.
final class LoudnessTests: XCTestCase {
    private static func file(
        _ samples: [Double], channelCount: Int, rate: Int = 48_000, format: SoundFormat = SoundFormat(.wav, .float32)
    ) throws -> MemoryFile {
        let file = MemoryFile()
        let output = try SoundOutput(
            descriptor: file.descriptor, name: "take.wav", format: format, channelCount: channelCount, sampleRate: rate,
            expectedFrameCount: samples.count / channelCount)
        try output.write(SoundBlock(samples: samples, channelCount: channelCount))
        try output.finish()
        return file
    }

    private static func normalise(
        _ file: MemoryFile, _ normaliser: LoudnessNormaliser = LoudnessNormaliser(),
        progress: (Double) -> Void = { _ in }
    ) throws -> (outcome: LoudnessNormaliser.Outcome, result: SoundInput) {
        let input = try SoundInput(descriptor: file.descriptor, name: "take.wav")
        let result = MemoryFile()
        let output = try SoundOutput(
            descriptor: result.descriptor, name: "result.wav", format: input.resultFormat,
            channelCount: input.channelCount, sampleRate: input.sampleRate)
        let outcome = try normaliser.normalise(input, into: output, progress: progress)
        try output.finish()
        return (outcome, try SoundInput(descriptor: result.descriptor, name: "result.wav"))
    }

    private static func samples(_ input: SoundInput) throws -> [Double] {
        var samples: [Double] = []
        while true {
            let block = try input.read(upTo: 65_536)
            if block.isEmpty { return samples }
            samples += block.samples
        }
    }

    /// Noise whose level changes, with pauses that the gate leaves out.
    private static func noise(seconds: Int, channelCount: Int, level: Double, _ random: inout SeededGenerator)
        -> [Double]
    {
        (0..<seconds * 48_000).flatMap { frame in
            let part = [1, 0.4, 0.001, 0.7][frame / 24_000 % 4]
            return (0..<channelCount).map { _ in level * part * .random(in: -1...1, using: &random) }
        }
    }

    /// EBU Tech 3341, case 1: a sine of 1 kHz at -23 dBFS in both channels is -23 LUFS.
    func testTheMeterOfTheTestIsRight() {
        let level = pow(10, -23.0 / 20)
        let sine = (0..<4 * 48_000).flatMap { frame -> [Double] in
            let value = level * sin(2 * .pi * 1_000 * Double(frame) / 48_000)
            return [value, value]
        }
        XCTAssertEqual(ReferenceMeter.loudness(sine, weights: [1, 1]), -23, accuracy: 0.1)
    }

    func testTheResultHasTheLoudnessThatIsWanted() throws {
        var random = SeededGenerator(seed: 23)
        for (channelCount, level, weights) in [
            (1, 0.02, [1.0]), (2, 0.1, [1, 1]), (2, 0.003, [1, 1]), (6, 0.05, [1, 1, 1, 0, 1.41, 1.41]),
        ] {
            let input = try Self.file(
                Self.noise(seconds: 4, channelCount: channelCount, level: level, &random), channelCount: channelCount)
            let (outcome, result) = try Self.normalise(input, LoudnessNormaliser(loudness: -24))
            XCTAssertFalse(outcome.isLimited, "\(outcome)")
            XCTAssertEqual(outcome.resultingLoudness, -24)
            XCTAssertEqual(ReferenceMeter.loudness(try Self.samples(result), weights: weights), -24, accuracy: 0.1)
        }
    }

    func testTheTruePeakIsKept() throws {
        // Between the samples of a sine of a quarter of the rate, 45° off, is a peak 3 dB above them.
        let sine = (0..<96_000).map { 0.01 * sin(2 * .pi * (Double($0) / 4 + 0.125)) }
        let (outcome, result) = try Self.normalise(
            try Self.file(sine, channelCount: 1), LoudnessNormaliser(loudness: 2))
        XCTAssert(outcome.isLimited)
        XCTAssertEqual(outcome.truePeak, -40, accuracy: 0.3)
        XCTAssertEqual(outcome.truePeak + outcome.gain, -1, accuracy: 1e-9)
        XCTAssertLessThan(outcome.resultingLoudness, 2)
        let peak = try Self.samples(result).reduce(0) { max($0, abs($1)) }
        XCTAssertEqual(20 * log10(peak), -4, accuracy: 0.3)
    }

    func testCompressedFilesAreMeasuredAsTheySound() throws {
        var random = SeededGenerator(seed: 5)
        let input = try Self.file(
            Self.noise(seconds: 4, channelCount: 2, level: 0.1, &random), channelCount: 2,
            format: SoundFormat(.ogg, .vorbis)
        )
        var parts: [Double] = []
        let (outcome, result) = try Self.normalise(input, LoudnessNormaliser(loudness: -24)) { parts.append($0) }
        XCTAssertEqual(result.format, SoundFormat(.wavex, .float32))
        XCTAssertFalse(outcome.isLimited)
        XCTAssertEqual(ReferenceMeter.loudness(try Self.samples(result), weights: [1, 1]), -24, accuracy: 0.1)
        XCTAssertEqual(parts, parts.sorted())
        XCTAssertEqual(parts.last, 1)
    }

    func testWhatHasNoLoudnessHasASentence() throws {
        let cases: [(samples: [Double], words: String)] = [
            ([Double](repeating: 0, count: 96_000), "silent"),
            ([Double](repeating: 1e-6, count: 96_000), "silent"),
            ([Double](repeating: 0.5, count: 19_199), "shorter than 0.4 seconds"),
            ([Double](repeating: .nan, count: 96_000), "silent"),
        ]
        for (samples, words) in cases {
            XCTAssertThrowsError(try Self.normalise(try Self.file(samples, channelCount: 1))) { error in
                XCTAssertEqual((error as? SoundError)?.code, .unsuitable)
                XCTAssert("\(error)".contains(words), "\(error)")
            }
        }
        let huge = (0..<96_000).map { $0.isMultiple(of: 2) ? 1e300 : -1e300 }
        XCTAssertThrowsError(
            try Self.normalise(try Self.file(huge, channelCount: 1, format: SoundFormat(.wav, .float64)))
        ) { XCTAssert("\($0)".contains("too large"), "\($0)") }
        let wide = try Self.file([Double](repeating: 0.1, count: 65 * 100), channelCount: 65)
        XCTAssertThrowsError(try Self.normalise(wide)) { XCTAssert("\($0)".contains("1 to 64 channels"), "\($0)") }
    }

    /// libebur128 writes outside of its memory at 16 Hz, and its filters have no bounds below 3.4 kHz.
    func testSampleRatesWithoutALoudnessHaveASentence() throws {
        for rate in [1, 15, 16, 17, 18, 27, 1000, 3363, 3999, 2_822_401] {
            let file = try Self.file([Double](repeating: 0.1, count: 8000), channelCount: 1, rate: rate)
            XCTAssertThrowsError(try Self.normalise(file), "\(rate) Hz") {
                XCTAssert("\($0)".contains("at 4000 to 2822400 Hz"), "\($0)")
            }
        }
        let sine = (0..<8000).map { 0.1 * sin(Double($0)) }
        XCTAssertNoThrow(try Self.normalise(try Self.file(sine, channelCount: 1, rate: 4000)))
    }

    func testCancellation() async {
        let task = Task { await LoudnessTests.errorWhenCancelled() }
        task.cancel()
        let error = await task.value
        XCTAssertEqual(error, "CancellationError()")
    }

    private static func errorWhenCancelled() async -> String {
        while !Task.isCancelled { await Task.yield() }
        do {
            _ = try normalise(file([Double](repeating: 0.1, count: 96_000), channelCount: 1))
            return "none"
        } catch { return "\(error)" }
    }
}
