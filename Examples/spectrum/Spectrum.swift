// SPDX-License-Identifier: MIT
import Glibc

/// The spectrum of the newest frames of a sound at 48 kHz.
struct Spectrum {
    /// A power of two.
    static let frameCount = 4096
    /// The distance of the frequencies, in hertz.
    static let step = 48_000 / Double(frameCount)

    private var samples = [Float](repeating: 0, count: frameCount)

    mutating func add(_ new: some Collection<Float>) { samples = Array((samples + new).suffix(Self.frameCount)) }

    /// The levels of the frequencies 0, `step`, 2 `step` … below half the rate; 1 is a sine of full scale.
    var levels: [Float] {
        let windowed = samples.indices.map { frame in
            // Blackman's window, whose mean is 0.42. In decibels its peak is nearer to a parabola than that of Hann's.
            let phase = 2 * .pi * Float(frame) / Float(Self.frameCount)
            return (samples[frame] * (0.42 - 0.5 * cos(phase) + 0.08 * cos(2 * phase)), Float(0))
        }
        let scale = 2 / (0.42 * Float(Self.frameCount))
        return Self.transform(windowed).prefix(Self.frameCount / 2).map { scale * hypot($0.0, $0.1) }
    }

    /// The loudest frequency, in hertz, and its level; `nil` in silence. Exact to a fiftieth of a step and a tenth of a decibel.
    var peak: (frequency: Double, level: Float)? {
        let levels = levels
        guard let top = levels.indices.max(by: { levels[$0] < levels[$1] }), levels[top] > 0 else { return nil }
        guard top > 0, top < levels.count - 1 else { return (Double(top) * Self.step, levels[top]) }
        // A parabola: J. O. Smith, Spectral Audio Signal Processing, "Quadratic Interpolation of Spectral Peaks".
        let decibels = levels[(top - 1)...(top + 1)].map { 20 * log10(Double(max($0, .leastNormalMagnitude))) }
        let (slope, bend) = (decibels[0] - decibels[2], decibels[0] - 2 * decibels[1] + decibels[2])
        let offset = bend < 0 ? slope / bend / 2 : 0  // Of a click all levels are equal.
        return ((Double(top) + offset) * Self.step, Float(pow(10, (decibels[1] - slope * offset / 4) / 20)))
    }

    /// The fast Fourier transform of Cooley and Tukey, with a radix of two: of the even and of the odd values, joined.
    private static func transform(_ values: [(Float, Float)]) -> [(Float, Float)] {
        guard values.count > 1 else { return values }
        let half = values.count / 2
        let even = transform((0..<half).map { values[2 * $0] })
        let odd = transform((0..<half).map { values[2 * $0 + 1] })
        return values.indices.map { index in
            let angle = -2 * .pi * Float(index) / Float(values.count)
            let (a, b, c, s) = (even[index % half], odd[index % half], cos(angle), sin(angle))
            return (a.0 + b.0 * c - b.1 * s, a.1 + b.0 * s + b.1 * c)
        }
    }
}
