// SPDX-License-Identifier: MIT

/// Asks the daemon again and again whether it answers, and publishes that it does not. Confined to the loop.
///
/// It is for an app that shows the graph. Without a port that should run, nothing else notices that the daemon is stopped.
final class SilenceWatch {
    private static let interval: Duration = .milliseconds(500)
    /// The longest time between two questions. A longer one does not count, because this process itself did not run.
    private static let longestPause: Duration = .milliseconds(1500)

    private let daemon: DaemonProbe
    private let timer: PollTimer
    private let states: StatePublisher
    private var lastPoll = SuspendingClock.now

    init(on connection: SessionConnection, states: StatePublisher) {
        self.states = states
        daemon = DaemonProbe(on: connection)
        timer = connection.makePollTimer()
    }

    /// Starts to ask. Idempotent.
    ///
    /// - Parameter isNeeded: called again and again, until it returns `false`.
    func start(while isNeeded: @escaping () -> Bool) {
        guard !timer.isRunning else { return }
        lastPoll = .now
        ask(at: lastPoll)
        timer.start(after: Self.interval) { [unowned self] in
            poll()
            return isNeeded() ? Self.interval : nil
        }
    }

    func stop() { timer.stop() }

    private func poll() {
        let now = SuspendingClock.now
        defer { lastPoll = now }
        if now - lastPoll <= Self.longestPause { ask(at: now) }
    }

    private func ask(at now: SuspendingClock.Instant) {
        switch question(at: now) {
        case .pending: break
        case .answers:
            daemon.reset()
            _ = question(at: now)
        case .silent: states.publishSilence(.silentDaemon(isConnectionLost: false))
        }
    }

    private func question(at now: SuspendingClock.Instant) -> DaemonProbe.Answer {
        daemon.ask(at: now) { [states] _ in states.publishSilence(nil) }
    }
}
