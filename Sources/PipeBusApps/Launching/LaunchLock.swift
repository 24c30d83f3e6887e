// SPDX-License-Identifier: MIT
import CGIO
import Glibc

/// Held by whoever starts an app, in any process: ten requests at once start it once.
///
/// It is a lock on a file in the user's runtime folder, which the kernel takes back when its process ends.
struct LaunchLock: ~Copyable {
    private let descriptor: Int32

    /// Waits for the lock, until a deadline. Where there is no folder for it, or at the deadline, it goes on without.
    static func acquire(forApp id: String, by deadline: ContinuousClock.Instant) async throws -> LaunchLock {
        let path = unsafe String(cString: g_get_user_runtime_dir()) + "/pipebus-launch-\(id).lock"
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        let lock = LaunchLock(descriptor: descriptor)
        while descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK, .now < deadline {
            // The kernel tells nobody of the end of such a lock but a thread that waits for it.
            try await Task.sleep(for: .milliseconds(20))
        }
        return lock
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
