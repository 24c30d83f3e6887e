// SPDX-License-Identifier: MIT
import AudioConversion
import CAudioConversion
import XCTest

final class DitherTests: ConversionTestCase {
    private func layout(_ sample: SampleLayout.Sample) -> SampleLayout {
        SampleLayout(sample: sample, isInterleaved: false, channelCount: 1)
    }

    /// The errors in steps of the format.
    private func errors(of sound: [Float], _ sample: SampleLayout.Sample, seed: UInt64 = 1) -> [Double] {
        var dither = cac_dither()
        unsafe cac_dither_seed(&dither, seed)
        let bytes = TestBytes(layout(sample), frames: sound.count)
        store(TestRows([sound]), into: bytes, frames: sound.count, dither: &dither)
        let scale = Double(sign: .plus, exponent: Reference.bits(sample) - 1, significand: 1)
        return sound.indices.map { Double(bytes[$0, 0]) - Double(sound[$0]) * scale }
    }

    private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    private func covariance(_ first: [Double], _ second: [Double]) -> Double {
        mean(zip(first, second).map { $0 * $1 })
    }

    /// With triangular dither of ±1 step the error has a mean of 0 and a power of 1/4 (1/6 of the dither, 1/12 of the rounding)
    /// whatever the value between two steps (Lipshitz, Wannamaker and Vanderkooy 1992).
    func testMeanAndPowerDoNotDependOnTheValue() {
        forEachImplementation { name in
            for sample in [SampleLayout.Sample.int16, .int24] {
                let step = sample == .int16 ? Float(1.0 / 32768) : Float(1.0 / 8_388_608)
                for fraction: Float in [0, 0.25, 0.5, 0.75] {
                    for whole: Float in [0, -3, 1000] {
                        let errors = errors(of: Array(repeating: (whole + fraction) * step, count: 40_000), sample)
                        let message = "\(name), \(sample), \(whole) + \(fraction)"
                        // Five standard deviations of the mean: 0.5 / 200 each.
                        XCTAssertEqual(mean(errors), 0, accuracy: 0.0125, message)
                        XCTAssertEqual(mean(errors.map { $0 * $0 }), 0.25, accuracy: 0.01, message)
                    }
                }
            }
        }
    }

    func testTheErrorIsNoiseThatTheSignalDoesNotShape() {
        forEachImplementation { name in
            let count = 200_000
            let sound = (0..<count).map { Float(0.0002 * sin(Double($0) * 0.01)) }
            let errors = errors(of: sound, .int16)
            let signal = sound.map { Double($0) * 32768 }
            let power = mean(signal.map { $0 * $0 })
            let bound = 5 / Double(count).squareRoot()
            XCTAssertEqual(covariance(errors, signal) / (0.25 * power).squareRoot(), 0, accuracy: bound, name)
            // Nor with its square, and not with itself a few frames and a block later.
            let squares = signal.map { $0 * $0 - power }
            let squarePower = mean(squares.map { $0 * $0 })
            XCTAssertEqual(covariance(errors, squares) / (0.25 * squarePower).squareRoot(), 0, accuracy: bound, name)
            for lag in [1, 2, 3, 31, 32, 33, 64, 96, 1024] {
                let correlation = covariance(Array(errors.dropFirst(lag)), Array(errors.dropLast(lag))) / 0.25
                XCTAssertEqual(correlation, 0, accuracy: bound, "\(name), lag \(lag)")
            }
        }
    }

    /// Of values on the steps only the dither is left: −1, 0 and 1 with the densities of a triangle, rounded.
    func testTheDensityIsATriangle() {
        forEachImplementation { name in
            let errors = errors(of: Array(repeating: 0.25, count: 100_000), .int16)
            for (value, share) in [(-1.0, 0.125), (0, 0.75), (1, 0.125)] {
                let found = Double(errors.count { $0 == value }) / Double(errors.count)
                XCTAssertEqual(found, share, accuracy: 0.006, "\(name), \(value)")
            }
            XCTAssert(errors.allSatisfy { abs($0) <= 1 }, name)
        }
    }

    func testAnErrorIsNeverMoreThanOneAndAHalfStepsAndEndsAreClamped() {
        forEachImplementation { name in
            for sample in [SampleLayout.Sample.int16, .int24] {
                let errors = errors(of: noise(20_000, amplitude: 0.99), sample)
                XCTAssert(errors.allSatisfy { abs($0) <= 1.5 }, "\(name), \(sample)")
                let top = self.errors(of: Array(repeating: 1, count: 5_000), sample)
                XCTAssert(top.allSatisfy { $0 <= -1 && $0 >= -2 }, "\(name), \(sample)")
                let bottom = self.errors(of: Array(repeating: -1, count: 5_000), sample)
                XCTAssert(bottom.allSatisfy { $0 >= 0 && $0 <= 1 }, "\(name), \(sample)")
            }
        }
    }

    func testSeeds() {
        let silence = [Float](repeating: 0, count: 1000)
        XCTAssertEqual(errors(of: silence, .int16, seed: 5), errors(of: silence, .int16, seed: 5))
        let (first, second) = (errors(of: silence, .int16, seed: 5), errors(of: silence, .int16, seed: 6))
        XCTAssertEqual(covariance(first, second) / 0.25, 0, accuracy: 0.16)
    }

    func testImplementationsAgree() {
        var results: [[Double]] = []
        forEachImplementation { _ in results.append(errors(of: noise(1000), .int24)) }
        for result in results { XCTAssertEqual(result, results[0]) }
    }

    func testIntegersOf32BitsAndFloatsHaveNone() {
        let sound = noise(1000, amplitude: 0.5)
        var dither = cac_dither()
        unsafe cac_dither_seed(&dither, 1)
        for sample in [SampleLayout.Sample.int32, .float32] {
            let (with, without) = (TestBytes(layout(sample), frames: 1000), TestBytes(layout(sample), frames: 1000))
            store(TestRows([sound]), into: with, frames: 1000, dither: &dither)
            store(TestRows([sound]), into: without, frames: 1000)
            XCTAssert((0..<1000).allSatisfy { with[$0, 0] == without[$0, 0] }, "\(sample)")
        }
    }
}
