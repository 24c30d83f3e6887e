// SPDX-License-Identifier: MIT
import ArgumentParser

/// Checks of numbers from a command line, with sentences that give the range. NaN is in no range.
package enum Check {
    package static func that(_ option: String, _ value: Double?, isIn range: ClosedRange<Double>, unit: String) throws {
        guard let value, !range.contains(value) else { return }
        let bounds = "\(Decimal.text(range.lowerBound)) to \(Decimal.text(range.upperBound))"
        throw ValidationError("\(option) takes \(bounds) \(unit), not \(Decimal.text(value)).")
    }

    package static func that(_ option: String, _ value: Int?, isIn range: ClosedRange<Int>, unit: String) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError("\(option) takes \(range.lowerBound) to \(range.upperBound) \(unit), not \(value).")
    }
}
