// SPDX-License-Identifier: MIT
import ArgumentParser

/// How a file keeps a sample.
package enum SampleFormat: Int, Sendable, CaseIterable {
    case int16 = 16
    case int24 = 24
    case float32 = 32

    /// - Parameter bits: as `--bits` gives it.
    package init(bits: Int) throws {
        guard let format = SampleFormat(rawValue: bits) else {
            throw ValidationError("--bits takes 16, 24 or 32, not \(bits).")
        }
        self = format
    }
}
