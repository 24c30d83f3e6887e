// SPDX-License-Identifier: MIT

/// The first difference between received and expected samples, in words for a failed test.
package struct SampleComparison: Sendable, CustomStringConvertible {
    /// The index of the first difference; the shorter length if only the lengths differ.
    package let firstDifference: Int
    package let description: String

    /// Compares bit for bit; NaN equals NaN. `nil` when all samples are equal.
    package init?(of samples: [Float], with expected: [Float], channel: Int = 0) {
        let common = min(samples.count, expected.count)
        let different = (0..<common).filter { samples[$0].bitPattern != expected[$0].bitPattern }
        guard !different.isEmpty || samples.count != expected.count else { return nil }
        firstDifference = different.first ?? common
        var words: [String] = []
        if samples.count != expected.count {
            words.append("There are \(samples.count) samples instead of \(expected.count).")
        }
        if let first = different.first, let last = different.last {
            words.append(
                "Sample \(first) of channel \(channel) is \(samples[first]) instead of \(expected[first]); "
                    + "\(different.count) of \(common) differ, the last at \(last).")
            let around = max(first - 2, 0)..<min(first + 4, common)
            words.append("From \(around.lowerBound): \(Array(samples[around])) instead of \(Array(expected[around])).")
            if let shift = Self.shift(of: samples, against: expected, at: first) {
                words.append("From there on it is what should have come \(shift).")
            }
        }
        description = words.joined(separator: " ")
    }

    /// Detects the most frequent fault: the right samples at the wrong time. Looks for the next few samples nearby.
    private static func shift(of samples: [Float], against expected: [Float], at first: Int) -> String? {
        let probe = samples[first..<min(first + 8, samples.count)]
        guard probe.count == 8, Set(probe).count > 1 else { return nil }
        for distance in 1...8192 {
            for (start, word) in [(first + distance, "later"), (first - distance, "earlier")]
            where start >= 0 && start + 8 <= expected.count && expected[start..<start + 8] == probe {
                return "\(distance) samples \(word)"
            }
        }
        return nil
    }
}
