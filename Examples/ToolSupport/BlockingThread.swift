// SPDX-License-Identifier: MIT
import Glibc

/// Work that waits for the disk, on a thread of its own: Swift's own threads are few, and none may be blocked.
package enum BlockingThread {
    /// - Throws: ``ToolFailure`` when there is no thread, or the error of the work.
    package static func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await start(work).value
    }

    /// Starts the work at once.
    ///
    /// - Returns: the result, once the work is done.
    /// - Throws: ``ToolFailure`` when there is no thread. Then the work has not started.
    package static func start<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) throws -> Task<Result, any Error> {
        let (results, continuation) = AsyncThrowingStream.makeStream(of: Result.self)
        try startThread {
            do {
                continuation.yield(try work())
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        return Task {
            for try await result in results { return result }
            throw CancellationError()
        }
    }

    private static func startThread(_ work: @escaping @Sendable () -> Void) throws {
        let box = unsafe Unmanaged.passRetained(Box(work: work))
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { box in
                unsafe Unmanaged<Box>.fromOpaque(box!).takeRetainedValue().work()
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            unsafe box.release()
            throw ToolFailure(
                "The system gives this process no further thread (\(unsafe String(cString: strerror(result)))); allow it more "
                    + "(ulimit -u, ulimit -v), or end other programs.")
        }
        pthread_detach(thread)
    }

    private final class Box {
        let work: @Sendable () -> Void
        init(work: @escaping @Sendable () -> Void) { self.work = work }
    }
}
