// SPDX-License-Identifier: MIT
import PipeWireClient

extension DaemonSession {
    /// The time in which a daemon that works answers.
    private static let patience: Duration = .seconds(2)
    /// The time after which a daemon that runs and does not answer is not about to end.
    private static let longestEnd: Duration = .seconds(10)

    /// Finds out why the connection was lost.
    ///
    /// - Parameter isSilent: called if the daemon is there and does not answer: it hangs, or takes long to end.
    func reasonForLoss(isSilent: () -> Void) async -> ConnectionLoss {
        let start = ContinuousClock.now
        if let loss = await probeForLoss(until: start + Self.patience) { return loss }
        switch connection.pipeWire.silentDaemon {
        case .stopped: return .removed
        case .runs: isSilent()
        case .unknown: return connection.pipeWire.hasDaemonEnded ? .daemonGone : .unanswered
        }
        if let loss = await probeForLoss(until: start + Self.longestEnd) { return loss }
        return connection.pipeWire.hasDaemonEnded ? .daemonGone : .removed
    }

    private func probeForLoss(until deadline: ContinuousClock.Instant) async -> ConnectionLoss? {
        while !isEnded, ContinuousClock.now < deadline {
            if let loss = await probeForLoss(by: deadline) { return loss }
            if connection.pipeWire.hasDaemonEnded { return .daemonGone }
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
