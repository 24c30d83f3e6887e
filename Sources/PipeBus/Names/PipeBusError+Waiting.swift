// SPDX-License-Identifier: MIT
import PipeWireClient

extension PipeBusError {
    /// The error of a port that has not come in time.
    ///
    /// - Parameters:
    ///   - message: says which one is missing.
    ///   - timeout: how long it was waited for; zero or less if it was not.
    static func missing(_ message: String, after timeout: Duration) -> PipeBusError {
        PipeBusError(.timedOut, timeout > .zero ? "\(message) Waited \(timeout.inWords) for it." : message)
    }
}
