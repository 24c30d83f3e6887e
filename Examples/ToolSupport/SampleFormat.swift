// SPDX-License-Identifier: MIT
import ArgumentParser

/// The format of a sample in a file.
package enum SampleFormat: Int, Sendable, CaseIterable {
    case int16 = 16
    case int24 = 24
    case float32 = 32

    /// - Parameter bits: the value of `--bits`.
    package init(bits: Int) throws {
        guard let format = SampleFormat(rawValue: bits) else {
            throw ValidationError("--bits takes 16, 24 or 32, not \(bits).")
        }
        self = format
    }
}
