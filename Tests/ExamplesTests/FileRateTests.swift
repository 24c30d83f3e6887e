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

    /// Compares with the sine of 1000 Hz at 48 kHz and a level of 0.5 that fits best.
    private func assertSine(
        _ samples: [Float], tolerance: Double, _ what: String, file: StaticString = #filePath, line: UInt = #line
    ) {
        var (sine, cosine) = (0.0, 0.0)
        for (frame, sample) in samples.enumerated() {
            sine += Double(sample) * sin(2 * .pi * Double(frame) / 48)
            cosine += Double(sample) * cos(2 * .pi * Double(frame) / 48)
        }
        // Over whole periods the two are independent.
        let scale = 2 / Double(samples.count / 48 * 48)
        (sine, cosine) = (sine * scale, cosine * scale)
        XCTAssertEqual((sine * sine + cosine * cosine).squareRoot(), 0.5, accuracy: 1e-3, what, file: file, line: line)
        let worst = samples.enumerated().map { frame, sample in
            let angle = 2 * .pi * Double(frame) / 48
            return abs(Double(sample) - sine * sin(angle) - cosine * cos(angle))
        }.max()
        XCTAssertLessThan(worst ?? 1, tolerance, what, file: file, line: line)
    }
}
