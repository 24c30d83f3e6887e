// SPDX-License-Identifier: MIT
import Foundation

/// Integrated loudness by the text of ITU-R BS.1770-4, at 48 kHz.
enum ReferenceMeter {
    /// Tables 1 and 2: the head's effect, and the weighting of low frequencies (RLB).
    private static let stages: [(b: [Double], a: [Double])] = [
        ([1.53512485958697, -2.69169618940638, 1.19839281085285], [-1.69065929318241, 0.73248077421585]),
        ([1, -2, 1], [-1.99004745483398, 0.99007225036621]),
    ]

    /// In LUFS.
    ///
    /// - Parameter weights: of the channels (table 3).
    static func loudness(_ samples: [Double], weights: [Double]) -> Double {
        let channelCount = weights.count
        let frameCount = samples.count / channelCount
        // Blocks of 400 ms, which overlap by 75 %.
        let (length, step) = (19_200, 4_800)
        guard frameCount >= length else { return -.infinity }
        // Sums of squares of steps, so that each block is four of them.
        var steps = [Double](repeating: 0, count: frameCount / step)
        for (channel, weight) in weights.enumerated() where weight > 0 {
            var filtered = (0..<frameCount).map { samples[$0 * channelCount + channel] }
            for stage in stages { filter(&filtered, stage.b, stage.a) }
            for number in steps.indices {
                steps[number] += weight * filtered[number * step..<(number + 1) * step].reduce(0) { $0 + $1 * $1 }
            }
        }
        let powers = (0...steps.count - 4).map { steps[$0..<$0 + 4].reduce(0, +) / Double(length) }
        func level(_ powers: [Double]) -> Double {
            -0.691 + 10 * log10(powers.reduce(0, +) / Double(powers.count))
        }
        let loud = powers.filter { level([$0]) > -70 }
        let threshold = level(loud) - 10
        return level(loud.filter { level([$0]) > threshold })
    }

    /// Direct form I.
    private static func filter(_ samples: inout [Double], _ b: [Double], _ a: [Double]) {
        var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
        for index in samples.indices {
            let x = samples[index]
            let y = b[0] * x + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2
            (x2, x1, y2, y1) = (x1, x, y1, y)
            samples[index] = y
        }
    }
}
