// SPDX-License-Identifier: MIT
import Glibc
import Synchronization

/// The lock on a file that is replaced as a whole, by which another process learns that the file is in use.
///
/// It is on the file itself, since one beside it would stay behind. So each new file is locked before it takes the old one's
/// place. The lock ends with the process, however that ends.
final class FileLock: Sendable {
    enum Outcome: Equatable {
        /// The lock is held, and the file is there.
        case held
        /// Another process holds it.
        case taken
        /// The file can neither be opened nor made.
        case failed(errno: Int32)
    }

    /// -1 before the lock is held.
    private let descriptor = Mutex<Int32>(-1)

    deinit { _ = descriptor.withLock { close($0) } }

    /// Opens the file, or makes an empty one, and locks it.
    func take(_ path: String) -> Outcome {
        // Again when the file is replaced between the two steps; its holder has locked the new one.
        for _ in 0..<100 {
            let file = unsafe open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
            guard file >= 0 else { return .failed(errno: errno) }
            // A file system without locks has none to be respected.
            guard flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
                close(file)
                return .taken
            }
            if Self.is(file, at: path) {
                descriptor.withLock { descriptor in
                    close(descriptor)
                    descriptor = file
                }
                return .held
            }
            close(file)
        }
        return .taken
    }

    /// Replaces the file by another one, which is locked too.
    ///
    /// - Returns: `nil`, or the errno if it could not be written. Then the old one is as it was.
    func replace(_ path: String, with bytes: [UInt8]) -> Int32? {
        descriptor.withLock { descriptor in
            var old = stat()
            let mode = unsafe stat(path, &old) == 0 ? old.st_mode & 0o777 : nil
            let new = "\(path).\(getpid())"
            // From a process with this number that was killed.
            unsafe unlink(new)
            let file = unsafe open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard file >= 0 else { return errno }
            if let mode { _ = fchmod(file, mode) }
            _ = flock(file, LOCK_EX | LOCK_NB)
            guard Self.write(bytes, to: file), unsafe rename(new, path) == 0 else {
                let code = errno
                close(file)
                unsafe unlink(new)
                return code
            }
            close(descriptor)
            descriptor = file
            return nil
        }
    }

    private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(file, buffer.baseAddress! + done, bytes.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    private static func `is`(_ file: Int32, at path: String) -> Bool {
        var (own, other) = (stat(), stat())
        return unsafe fstat(file, &own) == 0 && stat(path, &other) == 0 && own.st_dev == other.st_dev
            && own.st_ino == other.st_ino
    }
}
