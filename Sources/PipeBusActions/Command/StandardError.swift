// SPDX-License-Identifier: MIT
import Glibc

/// The stream for errors and progress.
enum StandardError {
    /// Writes a text. What cannot be written is dropped.
    static func write(_ text: String) { _ = unsafe Glibc.write(STDERR_FILENO, text, text.utf8.count) }
}
