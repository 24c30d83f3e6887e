// SPDX-License-Identifier: MIT
import PipeWireClient

/// Tasks that wait for something with a bound on the wait. All of them go on early when ``resumeAll()`` is called. Lives on
/// the loop.
final class WaitList {
    private var waiters: [Waiter<Void>] = []

    var isEmpty: Bool { waiters.isEmpty }

    /// - Parameter what: completes "waited … for".
    /// - Throws: ``PipeWireError`` `timedOut`.
    func wait(for timeout: Duration, on loop: PipeWireLoop, waitingFor what: String) async throws(PipeWireError) {
        let waiter = Waiter<Void>()
        waiters.append(waiter)
        defer { waiters.removeAll { $0 === waiter } }
        try await waiter.value(within: timeout, on: loop, waitingFor: what)
    }

    /// Those who come later are not resumed by this.
    func resumeAll() {
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter.resume(returning: ()) }
    }
}
