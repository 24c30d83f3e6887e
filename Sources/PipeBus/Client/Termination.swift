// SPDX-License-Identifier: MIT

/// The end of a client: its reason, and the tasks that wait for it. Confined to the loop.
final class Termination {
    /// The reason why the client has ended; `nil` before.
    private(set) var error: PipeBusError?
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Records that the client has ended. The first reason is kept.
    ///
    /// - Returns: whether the client had not ended before.
    @discardableResult
    func end(because error: PipeBusError) -> Bool {
        guard self.error == nil else { return false }
        self.error = error
        return true
    }

    /// Whether a task waits for the end.
    var hasWaiters: Bool { !waiters.isEmpty }

    /// Waits until ``wake()`` is called.
    func wait() async { await withCheckedContinuation { waiters.append($0) } }

    /// Resumes all waiting tasks, because the client has ended or for them to check another condition.
    func wake() {
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter.resume() }
    }
}
