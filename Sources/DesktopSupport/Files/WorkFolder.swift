// SPDX-License-Identifier: MIT
import CAppSupport
import ConnectionGraph
import Glibc

/// A private folder for a program that wants names of files. It is removed with its last reference, and what a killed process leaves is removed when
/// the next one is made.
///
/// A lock stands beside it, which the kernel takes back with its process.
///
/// - Thread: any.
package final class WorkFolder: Sendable {
    package let path: String
    private let lock: OwnedDescriptor

    private init(_ path: String, _ lock: OwnedDescriptor) { (self.path, self.lock) = (path, lock) }

    deinit { Self.remove(path, lock) }

    private static let prefix = "pipebus-work-"
    private static let suffix = ".lock"

    /// - Parameter folder: in which it is made.
    /// - Throws: ``DesktopError`` `refused`.
    package static func make(in folder: String = ScratchFile.temporaryFolder) throws -> WorkFolder {
        // A program in it has another working folder than this process.
        guard let real = unsafe realpath(folder, nil) else { throw ScratchFile.failure(in: folder, errno) }
        defer { unsafe free(real) }
        let folder = unsafe String(cString: real)
        removeStale(in: folder)
        for _ in 0..<16 {
            let path = "\(folder)/\(prefix)\(String(UInt64.random(in: .min ... .max), radix: 36))"
            let number = unsafe open(path + suffix, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if number < 0, errno == EEXIST { continue }
            guard number >= 0 else { throw ScratchFile.failure(in: folder, errno) }
            let lock = OwnedDescriptor(number)
            // Another process may have taken it for a stale one before it was locked.
            guard flock(number, LOCK_EX | LOCK_NB) == 0, ScratchFile.isNamed(path + suffix, number) else { continue }
            guard unsafe mkdir(path, 0o700) == 0 else {
                let reason = errno
                unsafe unlink(path + suffix)
                throw ScratchFile.failure(in: folder, reason)
            }
            return WorkFolder(path, lock)
        }
        throw ScratchFile.failure(in: folder, EEXIST)
    }

    /// Removes the folders of this user's processes that were killed. Other users' are theirs: in a folder for all they may be traps.
    package static func removeStale(in folder: String = ScratchFile.temporaryFolder) {
        for name in FolderListing.names(in: folder) where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            let path = "\(folder)/\(name.dropLast(suffix.count))"
            let number = unsafe open(path + suffix, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
            guard number >= 0 else { continue }
            let lock = OwnedDescriptor(number)
            var status = stat()
            guard unsafe fstat(number, &status) == 0, status.st_uid == geteuid(),
                flock(number, LOCK_EX | LOCK_NB) == 0, ScratchFile.isNamed(path + suffix, number)
            else { continue }
            remove(path, lock)
        }
    }

    /// The lock goes last: a folder without one is never found again.
    private static func remove(_ path: String, _ lock: OwnedDescriptor) {
        if unsafe pbapp_remove_tree(path) { unsafe unlink(path + suffix) }
    }
}
