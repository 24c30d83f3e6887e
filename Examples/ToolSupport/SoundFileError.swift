// SPDX-License-Identifier: MIT
import CSndFile
import Glibc

/// The reasons of errors of libsndfile or the system.
enum SoundFileError {
    /// - Parameter file: `nil` for a file that could not be opened.
    static func text(_ file: OpaquePointer?) -> String {
        let text = unsafe String(cString: sf_strerror(file))
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// The reason of the last system call's error.
    static var systemText: String { text(ofSystemError: errno) }

    static func text(ofSystemError number: Int32) -> String { unsafe String(cString: strerror(number)) }
}
