// SPDX-License-Identifier: MIT
import CGIO
import DesktopSupport

/// The messages of GLib's errors, as parts of sentences.
enum GLibMessage {
    /// - Parameter error: freed.
    static func take(_ error: UnsafeMutablePointer<GError>?) -> String {
        let text = unsafe GLibError(taking: error).message
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
