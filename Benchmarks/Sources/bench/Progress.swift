// SPDX-License-Identifier: MIT
import Foundation

/// A line on the terminal that shows the progress; nothing in a pipe.
enum Progress {
    private static let isShown = isatty(STDERR_FILENO) == 1

    static func show(_ text: String) { write("\r\u{1B}[Kmeasuring: \(text)") }
    static func clear() { write("\r\u{1B}[K") }

    private static func write(_ text: String) {
        if isShown { FileHandle.standardError.write(Data(text.utf8)) }
    }
}
