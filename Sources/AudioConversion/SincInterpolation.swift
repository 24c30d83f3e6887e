// SPDX-License-Identifier: MIT
import Glibc

/// Reads a signal at any time between its frames, with a windowed sinc.
///
/// It is for a few frames, such as those with which a ``Resampler`` begins.
///
/// - Thread: any. A value.
/// - Realtime: unsafe.
package struct SincInterpolation {
    /// The highest frequency that is let through, as a part of half the signal's rate.
    private let cutoff: Double
    /// Number of frames before and after a time that its value needs. Frames that are not there are 0.
    package let reach: Int

    /// Number of zeros of the sinc on each side.
    private static let zeros = 24.0

    /// - Parameter ratio: the rate at which the signal is read over its own. What a lower rate cannot have is left out.
    package init(ratio: Double) {
        cutoff = min(ratio, 1)
        reach = Int((Self.zeros / cutoff).rounded(.up))
    }

    /// The weights of frames in the value at a time. Their sum is 1.
    ///
    /// - Parameters:
    ///   - time: in frames, from the first one to the end.
    ///   - count: number of frames that there are.
    /// - Returns: the first frame, and a weight for each from there on.
    package func weights(at time: Double, of count: Int) -> (first: Int, weights: [Double]) {
        let first = max(Int(time.rounded(.up)) - reach, 0)
        let end = min(Int(time.rounded(.down)) + reach + 1, count)
        guard first < end else { return (0, []) }
        let weights = (first..<end).map { frame in
            let distance = Double(frame) - time
            let angle = .pi * distance * cutoff
            let window = 0.5 + 0.5 * cos(.pi * distance / Double(reach + 1))
            return window * (abs(angle) < 1e-9 ? 1 : sin(angle) / angle)
        }
        let sum = weights.reduce(0, +)
        return (first, weights.map { $0 / sum })
    }
}
