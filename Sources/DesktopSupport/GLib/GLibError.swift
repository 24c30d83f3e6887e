// SPDX-License-Identifier: MIT
package import CGIO

/// An error of a GLib call, copied.
package struct GLibError: Error, Sendable, Hashable {
    /// The number of the domain's name.
    package let domain: UInt32
    package let code: Int32
    package let message: String

    /// An error of our own in the same form.
    package init(message: String) { (domain, code, self.message) = (0, 0, message) }

    /// Takes an error over, and frees it.
    ///
    /// - Parameter error: `nil` if the call gave no reason.
    package init(taking error: UnsafeMutablePointer<GError>?) {
        guard let error = unsafe error else {
            (domain, code, message) = (0, 0, "no reason was given")
            return
        }
        (domain, code) = unsafe (error.pointee.domain, error.pointee.code)
        message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? "no reason was given"
        unsafe g_error_free(error)
    }
}
