// SPDX-License-Identifier: MIT
import RealtimeKit

/// Continues a signal beyond its end by linear prediction.
///
/// The coefficients are those of Burg's method: J. P. Burg, "Maximum entropy spectral analysis", Stanford University, 1975. All poles
/// lie within the unit circle, so what is predicted does not grow. A sum of some sines goes on as it was; noise decays.
///
/// - Thread: any, one at a time.
/// - Realtime: safe, but for the initializer and the end.
struct LinearPredictor: ~Copyable {
    /// The largest number of coefficients.
    private static var order: Int { @_noLocks get { 16 } }
    /// The largest number of frames that are looked at.
    static var length: Int { @_noLocks get { 256 } }

    private let forward = OwnedCells<Double>(repeating: 0, count: Self.length)
    private let backward = OwnedCells<Double>(repeating: 0, count: Self.length)
    private let coefficients = OwnedCells<Double>(repeating: 0, count: Self.order + 1)

    /// Stores frames after those that are there.
    ///
    /// - Parameters:
    ///   - signal: frames, and room for those that are predicted.
    ///   - end: number of frames that are there, 1 or more.
    ///   - length: number of these that belong to the signal, 1 or more.
    ///   - count: number of frames to predict.
    @_noLocks
    func extend(_ signal: Cells<Float>, end: Int, length: Int, by count: Int) {
        let frames = min(length, Self.length)
        var (energy, peak) = (0.0, 0.0)
        for frame in 0..<frames {
            let sample = Double(signal[end &- frames &+ frame])
            forward.cells[frame] = sample
            backward.cells[frame] = sample
            energy += sample * sample
            peak = max(peak, abs(sample))
        }
        let order = energy.isFinite ? solve(frames, energy) : 0
        if order == 0 {
            // Of a single frame, and of what is no number, nothing follows.
            let last = signal[end &- 1]
            for frame in 0..<count { signal[end &+ frame] = last }
            return
        }
        for frame in 0..<count {
            var sum = 0.0
            for index in 1...order { sum -= coefficients.cells[index] * Double(signal[end &+ frame &- index]) }
            // Rounding may put a pole onto the circle.
            signal[end &+ frame] = Float(max(0 - 2 * peak, min(sum, 2 * peak)))
        }
    }

    /// Finds the coefficients of the frames in ``forward`` and ``backward``.
    ///
    /// - Returns: their number.
    @_noLocks
    private func solve(_ frames: Int, _ energy: Double) -> Int {
        let (forward, backward, coefficients) = (forward.cells, backward.cells, coefficients.cells)
        coefficients[0] = 1
        var order = 0
        while order < min(Self.order, frames / 2) {
            let count = frames &- order &- 1
            var (product, sum) = (0.0, 0.0)
            for frame in 0..<count {
                let (ahead, behind) = (forward[frame &+ 1], backward[frame])
                product += ahead * behind
                sum += ahead * ahead + behind * behind
            }
            // What is left is rounding.
            guard sum > 1e-13 * energy else { break }
            let reflection = -2 * product / sum
            for frame in 0..<count {
                let (ahead, behind) = (forward[frame &+ 1], backward[frame])
                forward[frame] = ahead + reflection * behind
                backward[frame] = behind + reflection * ahead
            }
            order &+= 1
            coefficients[order] = 0
            var (low, high) = (0, order)
            while low <= high {
                let (first, last) = (coefficients[low], coefficients[high])
                coefficients[low] = first + reflection * last
                coefficients[high] = last + reflection * first
                (low, high) = (low &+ 1, high &- 1)
            }
        }
        return order
    }
}

/// A signal, and frames that would probably follow.
///
/// - Realtime: unsafe.
package func extended(_ signal: [Float], by count: Int) -> [Float] {
    guard !signal.isEmpty else { return [] }
    let cells = OwnedCells<Float>(repeating: 0, count: signal.count + count)
    for frame in signal.indices { cells.cells[frame] = signal[frame] }
    LinearPredictor().extend(cells.cells, end: signal.count, length: signal.count, by: count)
    return (0..<(signal.count + count)).map { cells.cells[$0] }
}
