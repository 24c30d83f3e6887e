// SPDX-License-Identifier: MIT
import PipeWireClient

extension BusClient {
    /// Asks at the daemon's socket who is there now, and lets those who wait for the end of the client know what happened.
    /// All else has failed already.
    func findReasonForLoss() async {
        let deadline = ContinuousClock.now.advanced(by: .seconds(2))
        var loss: ConnectionLoss?
        while loss == nil, connection != nil, ContinuousClock.now < deadline {
            loss = await reasonForLoss(by: deadline)
            // A daemon that is being killed takes connections until its socket is closed, as one of its last files.
            if loss == nil {
                try? await pauses.wait(for: .milliseconds(10), on: loop, waitingFor: "some time to pass")
            }
        }
        if let loss, ending?.code == .connectionLost { ending = PipeBusError(.connectionLost(loss)) }
        wakeEndWaiters()
    }

    private func reasonForLoss(by deadline: ContinuousClock.Instant) async -> ConnectionLoss? {
        guard let lost = connection else { return nil }
        let probe: PipeWireConnection
        do throws(PipeWireError) {
            probe = try PipeWireConnection(loop: loop, properties: [], remote: remote)
        } catch {
            if case .noDaemon = error { return .daemonGone }
            return .unknown(reason: "it cannot be asked again")
        }
        // So that it ends with the client.
        asking.append(probe)
        defer {
            asking.removeAll { $0 === probe }
            probe.close()
        }
        return await lost.reasonForLoss(
            asking: probe, timeout: max(ContinuousClock.now.duration(to: deadline), .zero))
    }
}
