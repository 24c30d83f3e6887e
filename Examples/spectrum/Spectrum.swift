// SPDX-License-Identifier: MIT
import Glibc

/// The spectrum of the newest frames of a sound.
struct Spectrum {
    /// A power of two.
    static let frameCount = 4096

    private var samples = [Float](repeating: 0, count: frameCount)
    /// Of the newest samples, in hertz.
    private(set) var sampleRate = 48_000

    mutating func add(_ new: some Collection<Float>, sampleRate rate: Int) {
        sampleRate = rate
        samples = Array((samples + new).suffix(Self.frameCount))
    }

    /// The levels of the frequencies 0, `step`, 2 `step` … below half the rate; 1 is a sine of full scale.
    var levels: [Float] {
        let windowed = samples.indices.map { frame in
            // Hann's window, whose mean is a half.
            (samples[frame] * (0.5 - 0.5 * cos(2 * .pi * Float(frame) / Float(Self.frameCount))), Float(0))
        }
        return Self.transform(windowed).prefix(Self.frameCount / 2).map {
            hypot($0.0, $0.1) * 4 / Float(Self.frameCount)
        }
    }

    /// The distance of the frequencies, in hertz.
    var step: Double { Double(sampleRate) / Double(Self.frameCount) }

    /// The fast Fourier transform of Cooley and Tukey, with a radix of two: of the even and of the odd values, joined.
    private static func transform(_ values: [(Float, Float)]) -> [(Float, Float)] {
        guard values.count > 1 else { return values }
        let half = values.count / 2
        let even = transform((0..<half).map { values[2 * $0] })
        let odd = transform((0..<half).map { values[2 * $0 + 1] })
        return values.indices.map { index in
            let angle = -2 * .pi * Float(index) / Float(values.count)
            let (first, second, sine, cosine) = (even[index % half], odd[index % half], sin(angle), cos(angle))
            return (
                first.0 + second.0 * cosine - second.1 * sine, first.1 + second.0 * sine + second.1 * cosine
            )
        }
    }
}
