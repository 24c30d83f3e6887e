// SPDX-License-Identifier: MIT

/// Why there is no figure, in a sentence.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
