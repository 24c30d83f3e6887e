// SPDX-License-Identifier: MIT
import Glibc

/// Sentences for errors of system calls on sound files.
enum SystemErrors {
    static func text(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }

    /// The error of a read that failed.
    static func reading(_ name: String, _ number: Int32 = errno) -> SoundError {
        SoundError(.unreadable, "\(name) cannot be read (\(text(number))); check its disk, or use another copy of it.")
    }

    /// The error of a write that failed.
    ///
    /// - Parameter name: of the file, or what it is for.
    static func writing(_ name: String, _ number: Int32 = errno) -> SoundError {
        switch number {
        case ENOSPC: SoundError(.noSpace, "The disk is full, so \(name) cannot be written; make room on it.")
        case EDQUOT:
            SoundError(
                .noSpace, "This user's share of the disk is used up, so \(name) cannot be written; make room in it.")
        case EFBIG:
            SoundError(
                .noSpace,
                "\(name) would be larger than a file may be here; use another disk, or raise the limit (ulimit -f).")
        default: SoundError(.unwritable, "\(name) cannot be written (\(text(number))); write it to another place.")
        }
    }
}
