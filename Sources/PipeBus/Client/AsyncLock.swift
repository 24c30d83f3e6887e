// SPDX-License-Identifier: MIT

/// Mutual exclusion across `await`, in first-in, first-out order. An actor alone runs other tasks at every `await`.
/// Confined to the loop.
final class AsyncLock {
    private var isLocked = false
    private var queue: [CheckedContinuation<Void, Never>] = []

    /// Runs a body while no other body runs.
    func withLock<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        if isLocked {
            await withCheckedContinuation { queue.append($0) }
        } else {
            isLocked = true
        }
        defer { unlock() }
        return try await body()
    }

    /// Hands the lock to the next task in the queue.
    private func unlock() {
        if queue.isEmpty { isLocked = false } else { queue.removeFirst().resume() }
    }
}
