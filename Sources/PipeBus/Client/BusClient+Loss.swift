// SPDX-License-Identifier: MIT
import PipeWireClient

extension BusClient {
    /// Finds out why the connection was lost, by a connection to the present daemon, and then wakes the tasks that wait for
    /// the end of the client. All other calls have failed by then.
    func findReasonForLoss() async {
        let deadline = ContinuousClock.now.advanced(by: .seconds(2))
        let loss = await session?.reasonForLoss(by: deadline)
        if let loss { termination.explain(PipeBusError(.connectionLost(loss))) }
        termination.wake()
    }
}
