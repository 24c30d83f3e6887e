// SPDX-License-Identifier: MIT
import Glibc

/// A file descriptor that is closed with its last reference.
///
/// - Thread: any.
package final class OwnedDescriptor: Sendable {
    package let number: Int32

    /// - Parameter number: taken over.
    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Opens a file that may be read.
    ///
    /// - Returns: `nil`, with the reason in `errno`.
    package static func reading(_ path: String) -> OwnedDescriptor? {
        // A pipe without a writer must not block this program.
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        return number >= 0 ? OwnedDescriptor(number) : nil
    }

    /// The same file, opened again: with a position of its own, for reading alone. Where the system does not let this process open it again,
    /// it is the same opened file, whose position all who have it share.
    ///
    /// - Returns: `nil`, with the reason in `errno`.
    package func reopened() -> OwnedDescriptor? { Self.reopened(number) }

    /// The same for a descriptor of somebody else, which stays theirs. One by which they cannot read the file is not opened again: this process may
    /// read more than they may.
    package static func reopened(_ number: Int32) -> OwnedDescriptor? {
        guard isReadable(number) else {
            errno = EBADF
            return nil
        }
        // What is no file may act on being opened.
        if size(of: number) != nil, let own = reading("/proc/self/fd/\(number)") { return own }
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        return copy >= 0 ? OwnedDescriptor(copy) : nil
    }

    /// O_PATH (open(2)), which Glibc's module leaves out.
    private static let pathOnly: Int32 = 0o10_000_000

    /// Whether a descriptor may be read: it is neither for writing alone, nor for a path alone.
    package static func isReadable(_ number: Int32) -> Bool {
        let flags = fcntl(number, F_GETFL)
        return flags >= 0 && flags & pathOnly == 0 && flags & O_ACCMODE != O_WRONLY
    }

    /// Whether it is a file: neither a folder, a device, a pipe nor a socket.
    package var isFile: Bool { byteCount != nil }

    /// Who may read and write it; all if that is not known.
    package var permissions: UInt32 {
        var status = stat()
        return unsafe fstat(number, &status) == 0 ? status.st_mode & 0o777 : 0o666
    }

    /// The size of a file, in bytes; `nil` for what is no file.
    package var byteCount: Int? { Self.size(of: number) }

    private static func size(of number: Int32) -> Int? {
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }
}
