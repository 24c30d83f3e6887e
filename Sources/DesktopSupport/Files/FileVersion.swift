// SPDX-License-Identifier: MIT
import Glibc

/// The size of a file and the time of its last change: whether another process changes it while it is read.
package struct FileVersion: Sendable, Hashable {
    /// In bytes.
    package let byteCount: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// - Returns: `nil`, with the reason in `errno`, for a descriptor that is not open.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        byteCount = Int(status.st_size)
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
}
