// SPDX-License-Identifier: MIT
import Glibc

/// Work that waits for the disk, on a thread of its own: Swift's own threads are few, and none may stand still.
package enum OffPool {
    package static func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            start { continuation.resume(with: Swift.Result { try work() }) }
        }
    }

    private static func start(_ work: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(Box(work: work)).toOpaque()
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { box in
                unsafe Unmanaged<Box>.fromOpaque(box!).takeRetainedValue().work()
                return nil
            }, box)
        precondition(result == 0, "the system has no thread left")
        pthread_detach(thread)
    }

    private final class Box {
        let work: @Sendable () -> Void
        init(work: @escaping @Sendable () -> Void) { self.work = work }
    }
}
