import CGIO
// SPDX-License-Identifier: MIT
import DesktopSupport
import Glibc

/// Held by whoever starts an app, in any process: ten requests at once start it once.
///
/// It is a lock on a file in the user's runtime folder, which the kernel takes back when its process ends. In the file is the program that was
/// started last, so that an app whose launcher has ended meanwhile, or has given up, is not started once more.
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
        let descriptor = unsafe open(path(forApp: id), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
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

    private static func path(forApp id: String) -> String {
        unsafe String(cString: g_get_user_runtime_dir()) + "/pipebus-launch-\(id).lock"
    }

    // MARK: The program

    /// Notes the program that was started: its process, the time of its start, and the daemon at which the app is wanted.
    ///
    /// - Parameter remote: the path of the daemon's socket; `nil` for the standard one.
    func note(process: Int32, at remote: String?) {
        guard let time = ProcessFacts(pid: process).startTime else { return }
        let text = "\(process) \(time) \(remote ?? "")\n"
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe pwrite(descriptor, text, text.utf8.count, 0)
    }

    /// The process that was noted for an app; `nil` if it does not run any more, or was started for another daemon.
    static func process(ofApp id: String, at remote: String?) -> Int32? {
        guard let text = BoundedFile.text(at: path(forApp: id), upTo: 8192) else { return nil }
        let words = text.unicodeScalars.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            .map { String($0) }
        guard words.count == 3, words[2] == "\(remote ?? "")\n", let pid = Int32(words[0]), pid > 0,
            let time = UInt64(words[1])
        else { return nil }
        let facts = ProcessFacts(pid: pid)
        return facts.isRunning && facts.startTime == time ? pid : nil
    }

    private static func failure(_ verb: String, in folder: String) -> Failure {
        Failure(reason: "its lock in \(folder) cannot be \(verb): \(unsafe String(cString: strerror(errno)))")
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
