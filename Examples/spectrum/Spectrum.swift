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
        var real = samples.indices.map { frame in
            // Hann's window, whose mean is a half.
            samples[frame] * (0.5 - 0.5 * cos(2 * .pi * Float(frame) / Float(Self.frameCount)))
        }
        var imaginary = [Float](repeating: 0, count: Self.frameCount)
        Self.transform(&real, &imaginary)
        return (0..<Self.frameCount / 2).map { hypot(real[$0], imaginary[$0]) * 4 / Float(Self.frameCount) }
    }

    /// The distance of the frequencies, in hertz.
    var step: Double { Double(sampleRate) / Double(Self.frameCount) }

    /// The fast Fourier transform of Cooley and Tukey, with a radix of two, in place.
    private static func transform(_ real: inout [Float], _ imaginary: inout [Float]) {
        let bits = frameCount.trailingZeroBitCount
        for index in 0..<frameCount {
            let reversed = (0..<bits).reduce(0) { $0 | (index >> $1 & 1) << (bits - 1 - $1) }
            if index < reversed {
                real.swapAt(index, reversed)
                imaginary.swapAt(index, reversed)
            }
        }
        var half = 1
        while half < frameCount {
            for offset in 0..<half {
                let (sine, cosine) = (sin(.pi * Float(offset) / Float(half)), cos(.pi * Float(offset) / Float(half)))
                for low in stride(from: offset, to: frameCount, by: 2 * half) {
                    let high = low + half
                    let (x, y) = (
                        real[high] * cosine + imaginary[high] * sine, imaginary[high] * cosine - real[high] * sine
                    )
                    (real[high], imaginary[high]) = (real[low] - x, imaginary[low] - y)
                    (real[low], imaginary[low]) = (real[low] + x, imaginary[low] + y)
                }
            }
            half *= 2
        }
    }
}
