// SPDX-License-Identifier: MIT
import PipeWireClient

extension DaemonSession {
    /// The time in which a daemon that works answers.
    private static let patience: Duration = .seconds(2)
    /// The time limit of one question to a daemon that takes its time.
    private static let longestQuestion: Duration = .seconds(10)

    /// Finds out why the connection was lost. While the daemon's process is there and does not answer, that takes as long as it
    /// needs: it hangs, it is busy, or it is about to end, and only its answer or its end tells. A client that ends by mistake does
    /// not come back.
    ///
    /// - Parameter isSilent: called if the daemon is there and does not answer within the time of one that works.
    func reasonForLoss(isSilent: () -> Void) async -> ConnectionLoss {
        // A daemon that is being killed accepts connections until its socket is closed, as one of its last files.
        if let loss = await probeForLoss(until: .now + Self.patience, every: .milliseconds(10)) { return loss }
        switch connection.pipeWire.silentDaemon {
        case .stopped: return .removed
        case .runs: isSilent()
        case .unknown: return connection.pipeWire.hasDaemonEnded ? .daemonGone : .unanswered
        }
        return await probeForLoss(until: nil, every: .milliseconds(100)) ?? .unanswered
    }

    /// Asks again and again.
    ///
    /// - Parameter end: the time at which to give up; `nil` for the end of the session.
    /// - Returns: `nil` if there is no answer.
    private func probeForLoss(until end: ContinuousClock.Instant?, every interval: Duration) async -> ConnectionLoss? {
        while !isEnded, end.map({ .now < $0 }) ?? true {
            let limit = ContinuousClock.now + Self.longestQuestion
            if let loss = await probeForLoss(by: min(end ?? limit, limit)) { return loss }
            if connection.pipeWire.hasDaemonEnded { return .daemonGone }
            // After the end nobody would wake it.
            if !isEnded { await connection.sleep(for: interval) }
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
