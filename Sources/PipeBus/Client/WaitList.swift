// SPDX-License-Identifier: MIT
import PipeWireClient

/// Tasks that wait with a time limit, or until ``resumeAll()`` is called. Confined to the loop.
final class WaitList {
    private var waiters: [Waiter<Void>] = []

    var isEmpty: Bool { waiters.isEmpty }

    /// Waits for ``resumeAll()``.
    ///
    /// - Parameter what: the noun phrase after "waited … for" in the error.
    /// - Throws: ``PipeWireError`` `timedOut`.
    func wait(for timeout: Duration, on loop: PipeWireLoop, waitingFor what: String) async throws(PipeWireError) {
        let waiter = Waiter<Void>()
        waiters.append(waiter)
        defer { waiters.removeAll { $0 === waiter } }
        try await waiter.value(within: timeout, on: loop, waitingFor: what)
    }

    /// Resumes all tasks that wait now. A later wait is not affected.
    func resumeAll() {
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter.resume(returning: ()) }
    }
}
