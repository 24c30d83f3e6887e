// SPDX-License-Identifier: MIT
import AudioConversion
import XCTest

/// Bounds a few dB from what decision 15 states.
final class ResamplerQualityTests: ConversionTestCase {
    private let settled = 4_000
    private let window = 6_000

    private func sine(_ hertz: Double, rate: Double, _ frames: Int = 14_000) -> [Float] {
        (0..<frames).map { Float(0.5 * sin(2 * .pi * hertz / rate * Double($0))) }
    }

    private func fit(_ samples: [Float], _ hertz: Double, rate: Double) -> SineFit {
        SineFit(samples[settled..<(settled + window)], frequency: hertz / rate)
    }

    private func level(_ samples: some Sequence<Float>) -> Double {
        let squares = samples.map { Double($0) * Double($0) }
        return 10 * log10(max(squares.reduce(0, +) / Double(squares.count), 1e-24))
    }

    private func thereAndBack(_ input: [Float], _ quality: Resampler.Quality) -> [Float] {
        let between = Resampling.convert(input, from: 44_100, to: 48_000, quality)
        return Resampling.convert(between, from: 48_000, to: 44_100, quality)
    }

    func testSinesThereAndBack() {
        for (quality, bound) in [(Resampler.Quality.medium, 110.0), (.best, 130)] {
            for hertz in [50.0, 997, 6_000, 12_000, 18_000] {
                let output = thereAndBack(sine(hertz, rate: 44_100), quality)
                XCTAssertGreaterThan(fit(output, hertz, rate: 44_100).ratio, bound, "\(quality), \(hertz) Hz")
            }
        }
    }

    /// 100 sines up to 18 kHz, of random phases, subtracted from what comes back: the delay is none, the gain is 1.
    func testNoiseThereAndBack() {
        let lines = (0..<100).map { (100 + 180 * Double($0), Double.random(in: 0...(2 * .pi), using: &numbers)) }
        let noise = (0..<12_000).map { frame in
            Float(lines.reduce(0) { $0 + 0.01 * sin(2 * .pi * $1.0 / 44_100 * Double(frame) + $1.1) })
        }
        for (quality, bound) in [(Resampler.Quality.medium, 110.0), (.best, 130)] {
            let output = thereAndBack(noise, quality)
            let places = settled..<(settled + window)
            let ratio = level(noise[places]) - level(places.map { output[$0] - noise[$0] })
            XCTAssertGreaterThan(ratio, bound, "\(quality)")
        }
    }

    func testThePassBandIsFlat() {
        for (quality, top) in [(Resampler.Quality.medium, 18_500.0), (.best, 20_500)] {
            for (from, to) in [(44_100.0, 48_000.0), (48_000, 44_100)] {
                let amplitudes = stride(from: 40, through: top, by: (top - 40) / 16).map { hertz in
                    fit(Resampling.convert(sine(hertz, rate: from), from: from, to: to, quality), hertz, rate: to)
                        .amplitude
                }
                let ripple = 20 * log10(amplitudes.max()! / amplitudes.min()!)
                XCTAssertLessThan(ripple, 0.001, "\(quality), \(from) to \(to)")
                XCTAssertEqual(amplitudes[0], 0.5, accuracy: 1e-5)
            }
        }
    }

    /// What lies above half of the lower rate stays away.
    func testAliases() {
        for (quality, near, far) in [(Resampler.Quality.medium, -98.0, -115.0), (.best, -140, -140)] {
            for (from, low, high, bound) in [(48_000.0, 22_100.0, 23_900.0, near), (96_000, 26_000, 47_000, far)] {
                for hertz in stride(from: low, through: high, by: (high - low) / 6) {
                    let output = Resampling.convert(sine(hertz, rate: from), from: from, to: 44_100, quality)
                    let alias = level(output[2_000...5_000]) - 20 * log10(0.5 / 2.0.squareRoot())
                    XCTAssertLessThan(alias, bound, "\(quality), \(from): \(hertz) Hz")
                }
            }
        }
    }
}
