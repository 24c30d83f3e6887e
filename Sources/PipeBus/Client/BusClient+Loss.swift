// SPDX-License-Identifier: MIT
import PipeWireClient

extension BusClient {
    /// Asks at the daemon's socket who is there now, and lets those who wait for the end of the client know what happened.
    /// All else has failed already.
    func findReasonForLoss() async {
        let deadline = ContinuousClock.now.advanced(by: .seconds(2))
        var loss: ConnectionLoss?
        while loss == nil, let session, ContinuousClock.now < deadline {
            loss = await session.reasonForLoss(by: deadline)
            // A daemon that is being killed takes connections until its socket is closed, as one of its last files.
            if loss == nil {
                try? await session.pendingSleeps.wait(for: .milliseconds(10), on: loop, waitingFor: "some time to pass")
            }
        }
        if let loss, terminationError?.code == .connectionLost {
            terminationError = PipeBusError(.connectionLost(loss))
        }
        wakeEndWaiters()
    }
}
