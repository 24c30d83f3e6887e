// SPDX-License-Identifier: MIT
import CGIO
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

    /// Notes the program that was started: its process, a space, and the time of its start.
    func note(process: Int32) {
        guard let time = ProcessFacts(pid: process).startTime else { return }
        let text = "\(process) \(time)\n"
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe pwrite(descriptor, text, text.utf8.count, 0)
    }

    /// The process that was noted; `nil` if it does not run any more.
    var process: Int32? {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Self.process(in: bytes[..<count]) : nil
    }

    /// The same, without the lock.
    static func process(forApp id: String) -> Int32? {
        (try? BoundedFile.bytes(at: path(forApp: id), upTo: 64)).flatMap { process(in: $0[...]) }
    }

    private static func process(in bytes: ArraySlice<UInt8>) -> Int32? {
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard words.count == 2, let pid = Int32(words[0]), pid > 0, let time = UInt64(words[1]) else { return nil }
        let facts = ProcessFacts(pid: pid)
        return facts.isRunning && facts.startTime == time ? pid : nil
    }

    private static func failure(_ verb: String, in folder: String) -> Failure {
        Failure(reason: "its lock in \(folder) cannot be \(verb): \(unsafe String(cString: strerror(errno)))")
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
