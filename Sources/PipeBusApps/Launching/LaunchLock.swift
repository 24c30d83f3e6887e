// SPDX-License-Identifier: MIT
import CGIO
import Glibc

/// Held by whoever starts an app, in any process: ten requests at once start it once.
///
/// It is a lock on a file in the user's runtime folder, which the kernel takes back when its process ends.
final class LaunchLock: Sendable {
    private let descriptor: Int32

    /// The file of the lock could not be opened, or locked.
    struct Failure: Error {
        /// A part of a sentence.
        let reason: String
    }

    /// Waits for the lock, until a deadline.
    ///
    /// - Returns: `nil` if somebody has it still.
    /// - Throws: ``Failure``; `CancellationError`.
    static func acquire(forApp id: String, by deadline: ContinuousClock.Instant) async throws -> LaunchLock? {
        let folder = unsafe String(cString: g_get_user_runtime_dir())
        // A user without a runtime folder has it among the caches, where it may be missing.
        _ = unsafe g_mkdir_with_parents(folder, 0o700)
        let path = "\(folder)/pipebus-launch-\(id).lock"
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("opened", in: folder) }
        let lock = LaunchLock(descriptor: descriptor)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw failure("locked", in: folder) }
            guard .now < deadline else { return nil }
            // The kernel tells nobody of the end of such a lock but a thread that waits for it.
            try await Task.sleep(for: .milliseconds(20))
        }
        return lock
    }

    private static func failure(_ verb: String, in folder: String) -> Failure {
        Failure(reason: "its lock in \(folder) cannot be \(verb): \(unsafe String(cString: strerror(errno)))")
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
