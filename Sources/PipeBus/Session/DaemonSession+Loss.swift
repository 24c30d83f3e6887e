// SPDX-License-Identifier: MIT
import PipeWireClient

extension DaemonSession {
    /// Why the connection was lost, as far as it can be found out; `nil` if it may be known a moment later.
    func reasonForLoss(by deadline: ContinuousClock.Instant) async -> ConnectionLoss? {
        let probe: PipeWireConnection
        do throws(PipeWireError) {
            probe = try PipeWireConnection(loop: loop, properties: [], remote: context.remote)
        } catch {
            if case .noDaemon = error { return .daemonGone }
            return .unknown(reason: "it cannot be asked again")
        }
        // So that it ends with the session.
        return try? await requests.perform(over: probe) { probe in
            await connection.reasonForLoss(
                asking: probe, timeout: max(ContinuousClock.now.duration(to: deadline), .zero))
        }
    }
}
