// SPDX-License-Identifier: MIT
import PipeWireClient

extension DaemonSession {
    /// Finds out why the connection was lost; `nil` if that is not known at the deadline.
    func reasonForLoss(by deadline: ContinuousClock.Instant) async -> ConnectionLoss? {
        while !isEnded, ContinuousClock.now < deadline {
            if let loss = await probeForLoss(by: deadline) { return loss }
            // A daemon that is being killed accepts connections until its socket is closed, as one of its last files.
            await connection.sleep(for: .milliseconds(10))
        }
        return nil
    }

    private func probeForLoss(by deadline: ContinuousClock.Instant) async -> ConnectionLoss? {
        let probe: PipeWireConnection
        do throws(PipeWireError) {
            probe = try requests.makeProbe()
        } catch {
            switch error {
            case .noDaemon: return .daemonGone
            // Its queue is full: the other clients of a daemon that is being killed ask as well.
            case .timedOut: return nil
            default: return .unknown(reason: "it cannot be asked again")
            }
        }
        // Through the requests, so that the probe ends with the session.
        return try? await requests.perform(over: probe) { probe in
            await connection.pipeWire.reasonForLoss(
                probing: probe, timeout: max(ContinuousClock.now.duration(to: deadline), .zero))
        }
    }
}
