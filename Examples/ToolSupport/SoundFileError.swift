// SPDX-License-Identifier: MIT
import CSndFile
import Glibc

/// Why libsndfile or the system under it failed.
enum SoundFileError {
    /// - Parameter file: `nil` for why one could not be opened.
    static func text(_ file: OpaquePointer?) -> String {
        let text = unsafe String(cString: sf_strerror(file))
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// What the last system call said.
    static var systemText: String { text(ofSystemError: errno) }

    static func text(ofSystemError number: Int32) -> String { unsafe String(cString: strerror(number)) }
}
