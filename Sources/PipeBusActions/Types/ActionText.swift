// SPDX-License-Identifier: MIT
import ConnectionGraph
import DesktopSupport

/// Checks of texts of actions, which any program may write.
enum ActionText {
    static func isShown(_ text: String) -> Bool { EntryText.isShown(text) }

    /// Whether a text can stand between colons.
    static func isField(_ text: String) -> Bool { !text.utf8.contains(UInt8(ascii: ":")) }
}
