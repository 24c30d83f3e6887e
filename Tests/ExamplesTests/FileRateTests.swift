// SPDX-License-Identifier: MIT
import Glibc
import PipeBus
import PipeBusTestSupport
import PipeBusTesting
import ToolSupport
import XCTest

/// `tone-sender --file` with files of other rates: they are heard at their speed.
final class FileRateTests: FileSenderTestCase {
    /// A sine, at its frequency, with its level and without a gap, whatever the file's rate is.
    func testAFileOfAnotherRateIsHeardAtItsSpeed() async throws {
        for (rate, format, container, channels) in [
            (44_100, SampleFormat.int24, FileFormat.flac, 2), (96_000, .int24, .wav, 2), (8000, .int16, .wav, 1),
            (192_000, .float32, .wav, 1),
        ] {
            let frames = rate / 2
            let sine = (0..<frames).map { 0.5 * Float(sin(2 * .pi * 1000 * Double($0) / Double(rate))) }
            let path = try write(
                [[Float]](repeating: sine, count: channels), sampleRate: rate, format, as: container)
            let listening = try await listen(to: ["--file", path], channels: .channels(channels))
            let figures = try await finish(listening)
            XCTAssertEqual(figures["frames"], "\(frames)")
            XCTAssertEqual(figures["sample_rate"], "\(rate)")
            XCTAssertEqual(figures["underruns"], "0")
            for came in try listening.keeper.sound() {
                let length = (came.lastIndex { abs($0) > 0.001 } ?? 0) + 1
                XCTAssertEqual(Double(length), 24_000, accuracy: 600, "\(rate) Hz")
                assertSine(Array(came[2400..<21_600]), tolerance: format == .int16 ? 1e-4 : 1e-5, "\(rate) Hz")
            }
        }
    }

    /// The resampler goes on over the seam: periods that fit are one long sine.
    func testALoopOfAnotherRateHasNoSeam() async throws {
        let sine = (0..<4410).map { 0.5 * Float(sin(2 * .pi * 1000 * Double($0) / 44_100)) }
        let path = try write([sine], sampleRate: 44_100)
        let listening = try await listen(to: ["--file", path, "--loop", "--duration", "2"], channels: .mono)
        let figures = try await finish(listening)
        XCTAssertEqual(figures["frames"], "88200")
        assertSine(Array(try listening.keeper.sound()[0][2400..<93_600]), tolerance: 1e-5, "twenty rounds")
    }

    /// What waits to be played was converted to the rate before, so it is converted once more. Nothing of the file is left out.
    func testAFileKeepsItsPitchWhenTheGraphsRateChanges() async throws {
        let sine = (0..<288_000).map { 0.5 * Float(sin(2 * .pi * 1000 * Double($0) / 48_000)) }
        let path = try write([sine], sampleRate: 48_000)
        for rate in [24_000, 96_000] {
            let listening = try await listen(to: ["--file", path], channels: .mono)
            let (stepper, keeper) = (listening.stepper, listening.keeper)
            try await eventually("the beginning", within: .seconds(30)) {
                try await stepper.step(480)
                return ((try? keeper.sound())?[0].count ?? 0) > 24_000
            }
            await stepper.setClock(0, sampleRate: rate)
            let start = keeper.frameCount
            // As long as what waited would last at the wrong pitch, 65 536 frames.
            try await eventually("the other rate", within: .seconds(30)) {
                try await stepper.step(rate / 100)
                return keeper.frameCount > start + 60_000
            }
            let came = keeper.lastSamples(ofChannel: 0, count: 30_000 / 96 * 96)
            assertSine(came, period: rate / 1000, tolerance: 1e-5, "\(rate) Hz")
            let figures = try await finish(listening, quantum: rate / 100, rate: rate)
            XCTAssertEqual(figures["frames"], "288000")
            XCTAssertEqual(figures["underruns"], "0")
            let sound = try keeper.sound()[0]
            let end = (sound.lastIndex { abs($0) > 0.001 } ?? 0) - rate / 100
            assertSine(Array(sound[(end - rate)..<end]), period: rate / 1000, tolerance: 1e-5, "the end at \(rate) Hz")
        }
    }

    /// Compares with the sine of 1000 Hz and a level of 0.5 that fits best.
    ///
    /// - Parameter period: of that sine, in frames.
    private func assertSine(
        _ samples: [Float], period: Int = 48, tolerance: Double, _ what: String, file: StaticString = #filePath,
        line: UInt = #line
    ) {
        var (sine, cosine) = (0.0, 0.0)
        for (frame, sample) in samples.enumerated() {
            sine += Double(sample) * sin(2 * .pi * Double(frame) / Double(period))
            cosine += Double(sample) * cos(2 * .pi * Double(frame) / Double(period))
        }
        // Over whole periods the two are independent.
        let scale = 2 / Double(samples.count / period * period)
        (sine, cosine) = (sine * scale, cosine * scale)
        XCTAssertEqual((sine * sine + cosine * cosine).squareRoot(), 0.5, accuracy: 1e-3, what, file: file, line: line)
        let worst = samples.enumerated().map { frame, sample in
            let angle = 2 * .pi * Double(frame) / Double(period)
            return abs(Double(sample) - sine * sin(angle) - cosine * cos(angle))
        }.max()
        XCTAssertLessThan(worst ?? 1, tolerance, what, file: file, line: line)
    }
}
