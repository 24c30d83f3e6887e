// SPDX-License-Identifier: MIT
import ConnectionGraph

/// Checks of texts in desktop entries, which any program may write.
package enum EntryText {
    /// As many bytes as `BusClient` takes in a name.
    package static let longest = 128

    /// Whether a text can be a port's name.
    package static func isName(_ text: String) -> Bool {
        isShown(text) && !text.utf8.contains { $0 == 0x3A || $0 == 0x2F }
    }

    /// Whether a text can be shown: neither empty nor long, and all of it printable.
    package static func isShown(_ text: String) -> Bool {
        text.utf8.count <= longest && text.contains { !$0.isWhitespace }
            && text.unicodeScalars.allSatisfy(\.isPrintable)
    }
}
