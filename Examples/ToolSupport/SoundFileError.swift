// SPDX-License-Identifier: MIT
import CSndFile
import Glibc

/// The reasons of errors of libsndfile or the system.
package enum SoundFileError {
    /// - Parameter file: `nil` for a file that could not be opened.
    static func text(_ file: OpaquePointer?) -> String {
        let text = unsafe String(cString: sf_strerror(file))
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// The reason of the last system call's error.
    static var systemText: String { text(ofSystemError: errno) }

    static func text(ofSystemError number: Int32) -> String { unsafe String(cString: strerror(number)) }

    /// The reason of a system call's error, and what to do about it.
    ///
    /// - Parameter number: of the error; by default that of the last call.
    /// - Parameter otherwise: what to do about any other error.
    package static func advice(of number: Int32 = errno, otherwise: String = "name another file") -> String {
        return "\(text(ofSystemError: number)); \(advice(ofSystemError: number) ?? otherwise)"
    }

    private static func advice(ofSystemError number: Int32) -> String? {
        switch number {
        case ENOENT, ENOTDIR: "check the name and its folder"
        case EACCES, EPERM: "let this user do that, or name another one"
        case ENOSPC, EDQUOT: "make room on the disk"
        case EISDIR: "name a file in that folder"
        case ENAMETOOLONG: "use a shorter name"
        case EMFILE, ENFILE: "allow more open files (ulimit -n)"
        default: nil
        }
    }
}
