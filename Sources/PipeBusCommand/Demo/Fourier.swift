// SPDX-License-Identifier: MIT
import Glibc

/// The discrete Fourier transform of a power of two of values.
struct Fourier {
    let count: Int
    private let cosines: [Double]
    private let sines: [Double]

    /// - Parameter minimumCount: rounded up to a power of two.
    init(minimumCount: Int) {
        var count = 2
        while count < minimumCount { count *= 2 }
        self.count = count
        let step = 2 * Double.pi / Double(count)
        cosines = (0..<count / 2).map { cos(step * Double($0)) }
        sines = (0..<count / 2).map { sin(step * Double($0)) }
    }

    /// Transforms complex values in place. With the two arguments exchanged it is the inverse, times `count`.
    func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
        precondition(real.count == count && imaginary.count == count, "a transform is made for one number of values")
        reverseBits(&real, &imaginary)
        var half = 1
        while half < count {
            let stride = count / (2 * half)
            for start in Swift.stride(from: 0, to: count, by: 2 * half) {
                for offset in 0..<half {
                    let cosine = cosines[offset * stride]
                    let sine = sines[offset * stride]
                    let low = start + offset
                    let high = low + half
                    let turnedReal = real[high] * cosine + imaginary[high] * sine
                    let turnedImaginary = imaginary[high] * cosine - real[high] * sine
                    real[high] = real[low] - turnedReal
                    imaginary[high] = imaginary[low] - turnedImaginary
                    real[low] += turnedReal
                    imaginary[low] += turnedImaginary
                }
            }
            half *= 2
        }
    }

    private func reverseBits(_ real: inout [Double], _ imaginary: inout [Double]) {
        var reversed = 0
        for index in 0..<count - 1 {
            if index < reversed {
                real.swapAt(index, reversed)
                imaginary.swapAt(index, reversed)
            }
            // Adds one to a number with its bits reversed.
            var bit = count / 2
            while reversed & bit != 0 {
                reversed &= ~bit
                bit /= 2
            }
            reversed |= bit
        }
    }
}
