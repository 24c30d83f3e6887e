// SPDX-License-Identifier: MIT
import Glibc

/// Blocking work, on a thread of its own. Swift's own threads are as few as there are processors: on two processors two
/// blocking tests would block all others.
enum BlockingThread {
    static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            start { continuation.resume(with: Swift.Result { try work() }) }
        }
    }

    static func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            start { continuation.resume(returning: work()) }
        }
    }

    /// Starts a detached thread.
    static func start(_ work: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(Box(work: work)).toOpaque()
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { box in
                unsafe Unmanaged<Box>.fromOpaque(box!).takeRetainedValue().work()
                return nil
            }, box)
        precondition(result == 0, "the system has no thread left for a test")
        pthread_detach(thread)
    }

    private final class Box {
        let work: @Sendable () -> Void
        init(work: @escaping @Sendable () -> Void) { self.work = work }
    }
}
