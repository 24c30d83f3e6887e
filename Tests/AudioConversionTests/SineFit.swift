// SPDX-License-Identifier: MIT
import Foundation

/// The best sine of a known frequency in a signal, as least squares have it, and what is left without it.
struct SineFit {
    let amplitude: Double
    /// Root mean square of the rest.
    let residual: Double

    /// Signal to noise ratio, in dB.
    var ratio: Double { 20 * log10(amplitude / 2.0.squareRoot() / max(residual, 1e-12)) }

    /// - Parameters:
    ///   - frequency: cycles in a frame.
    ///   - degree: amplitude and phase may change as a polynomial of this degree over the signal: a slow change of the ratio is
    ///     no error.
    init(_ samples: ArraySlice<Float>, frequency: Double, degree: Int = 0) {
        let terms = 2 * (degree + 1)
        let basis = samples.indices.map { index in
            let frame = index - samples.startIndex
            let angle = 2 * .pi * frequency * Double(frame)
            let time = 2 * Double(frame) / Double(samples.count) - 1
            return (0...degree).flatMap { [pow(time, Double($0)) * cos(angle), pow(time, Double($0)) * sin(angle)] }
        }
        var system = [[Double]](repeating: Array(repeating: 0, count: terms + 1), count: terms)
        for (sample, values) in zip(samples, basis) {
            for row in 0..<terms {
                for column in 0..<terms { system[row][column] += values[row] * values[column] }
                system[row][terms] += values[row] * Double(sample)
            }
        }
        let solution = Self.solve(system)
        var squares = 0.0
        for (sample, values) in zip(samples, basis) {
            let rest = Double(sample) - zip(values, solution).reduce(0) { $0 + $1.0 * $1.1 }
            squares += rest * rest
        }
        amplitude = hypot(solution[0], solution[1])
        residual = (squares / Double(samples.count)).squareRoot()
    }

    /// Gauss and Jordan, with pivots.
    private static func solve(_ system: [[Double]]) -> [Double] {
        var system = system
        let count = system.count
        for column in 0..<count {
            let pivot = (column..<count).max { abs(system[$0][column]) < abs(system[$1][column]) }!
            system.swapAt(column, pivot)
            for row in 0..<count where row != column {
                let factor = system[row][column] / system[column][column]
                for index in column...count { system[row][index] -= factor * system[column][index] }
            }
        }
        return (0..<count).map { system[$0][count] / system[$0][$0] }
    }
}
