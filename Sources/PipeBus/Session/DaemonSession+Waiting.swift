// SPDX-License-Identifier: MIT
import PipeWireClient

/// What somebody waits for must end with the client: its loop stops then, and no time is ever up again.
extension DaemonSession {
    /// Comes back after a while, or when the client ends.
    func pause(_ duration: Duration) async {
        guard isOpen else { return }
        try? await pendingSleeps.wait(for: duration, on: loop, waitingFor: "some time to pass")
    }

    /// Tries again after every change of the graph, until there is a result or the time is up.
    ///
    /// - Parameter what: completes "waited … for".
    func firstResult<Value>(
        by deadline: ContinuousClock.Instant, waitingFor what: String, _ attempt: () throws -> Value?
    ) async throws -> Value {
        while true {
            try checkOpen()
            if let value = try attempt() { return value }
            try Task.checkCancellation()
            let left = max(ContinuousClock.now.duration(to: deadline), .zero)
            do throws(PipeWireError) {
                // Who cancels the task resumes it: see ``BusClient/cancellable(_:)``.
                try await changeWaits.wait(for: left, on: loop, waitingFor: what)
            } catch {
                throw PipeBusError(error)
            }
        }
    }

    var isAsking: Bool { !requests.isEmpty }
    var isPausing: Bool { !pendingSleeps.isEmpty }
}
