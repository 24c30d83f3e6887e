// SPDX-License-Identifier: MIT

extension StringProtocol {
    /// The text in quotation marks, for a sentence: at most 80 characters of it, and then an ellipsis.
    package var quoted: String { "\"\(prefix(80))\(dropFirst(80).isEmpty ? "" : "…")\"" }
}
