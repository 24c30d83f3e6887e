// SPDX-License-Identifier: MIT
import PipeWireClient

/// Decides what a client does when its connection is lost or cannot be made: connect again after a delay, or end. Pure.
struct Supervisor: Sendable {
    /// What to do next.
    enum Decision: Sendable, Equatable {
        /// Connect again after ``Supervisor/delay()``.
        case retry
        /// End the client.
        case close
    }

    /// A session that lasts this long is taken for sound: earlier failures no longer count.
    static let soundAfter: Duration = .seconds(5)
    /// A client ends when it has failed for this long although the daemon was there, three times at least.
    static let patience: Duration = .seconds(5)

    private(set) var state = BusClient.State.connecting
    private var backOff = BackOff()
    /// Failures in a row that no end of the daemon explains.
    private var failures = 0
    private var firstFailure: ContinuousClock.Instant?
    private var runningSince: ContinuousClock.Instant?

    /// The delay before the next attempt. Later ones are longer.
    mutating func delay() -> Duration { backOff.next() }

    /// The daemon's socket has changed: a daemon may be there any moment.
    mutating func socketChanged() { backOff.reset() }

    /// The ports are in the graph.
    mutating func sessionBegan(at now: ContinuousClock.Instant) {
        guard !isClosed else { return }
        runningSince = now
        state = .running
    }

    /// The connection was lost.
    mutating func sessionLost(_ loss: ConnectionLoss, at now: ContinuousClock.Instant) -> Decision {
        guard !isClosed else { return .close }
        if let runningSince, runningSince.duration(to: now) >= Self.soundAfter {
            forgetFailures()
            backOff.reset()
        }
        runningSince = nil
        let reason = StateReason(loss)
        switch loss {
        case .removed: return close(because: reason)
        case .daemonGone, .daemonRestarted:
            forgetFailures()
            state = .interrupted(reason)
            return .retry
        case .fewDescriptors, .malformed, .unknown: return fail(reason, at: now)
        }
    }

    /// A session could not be opened.
    mutating func openingFailed(
        _ error: PipeWireError, isInstalled: Bool, at now: ContinuousClock.Instant
    ) -> Decision {
        guard !isClosed else { return .close }
        runningSince = nil
        let reason = StateReason(openingFailure: error, isInstalled: isInstalled)
        switch reason.kind {
        case .notRunning, .notInstalled, .daemonGone:
            forgetFailures()
            // The reason of the interruption stays, while the daemon is as absent as it says.
            if case .interrupted(let known) = state, known.saysThatNoDaemonRuns { return .retry }
            state = .interrupted(reason)
            return .retry
        case .noPermission, .incompatible, .notResponding:
            forgetFailures()
            state = .interrupted(reason)
            return .retry
        default: return fail(reason, at: now)
        }
    }

    /// - Returns: whether the client had not ended before.
    mutating func closed() -> Bool {
        guard !isClosed else { return false }
        state = .closed(StateReason(.closedByApp, "The app closed its connection."))
        return true
    }

    private mutating func fail(_ reason: StateReason, at now: ContinuousClock.Instant) -> Decision {
        failures += 1
        let first = firstFailure ?? now
        firstFailure = first
        guard failures < 3 || first.duration(to: now) < Self.patience else { return close(because: reason) }
        state = .interrupted(reason)
        return .retry
    }

    private mutating func forgetFailures() {
        failures = 0
        firstFailure = nil
    }

    private mutating func close(because reason: StateReason) -> Decision {
        state = .closed(reason)
        return .close
    }

    private var isClosed: Bool {
        if case .closed = state { return true }
        return false
    }
}
