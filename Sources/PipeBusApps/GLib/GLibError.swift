// SPDX-License-Identifier: MIT
import CGIO

/// An error of a GLib call, copied.
struct GLibError: Error, Sendable, Hashable {
    /// The number of the domain's name.
    let domain: UInt32
    let code: Int32
    let message: String

    /// An error of our own in the same form.
    init(message: String) { (domain, code, self.message) = (0, 0, message) }

    /// Takes an error over, and frees it.
    ///
    /// - Parameter error: `nil` if the call gave no reason.
    init(taking error: UnsafeMutablePointer<GError>?) {
        guard let error = unsafe error else {
            (domain, code, message) = (0, 0, "no reason was given")
            return
        }
        (domain, code) = unsafe (error.pointee.domain, error.pointee.code)
        message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? "no reason was given"
        unsafe g_error_free(error)
    }
}
