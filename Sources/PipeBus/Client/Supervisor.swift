// SPDX-License-Identifier: MIT
import PipeWireClient

/// Decides what a client does when its connection is lost or cannot be made. Pure.
///
/// It connects again after a delay, however often that fails: whoever breaks its connections must not end the client. It ends
/// only when another program has removed it from the graph.
struct Supervisor: Sendable {
    /// What to do next.
    enum Decision: Sendable, Equatable {
        /// Connect again after ``Supervisor/delay()``.
        case retry
        /// End the client.
        case close
    }

    /// A session that lasts this long is taken for sound: the next delay is the shortest again.
    static let soundAfter: Duration = .seconds(5)
    /// A session after one that broke before it was sound must last this long before the client counts as running. Otherwise an
    /// app would hear of each of them.
    static let probation: Duration = .seconds(2)
    /// The changes of the socket that each end a delay, until the next session. Somebody may change it all the time.
    private static let socketChanges = RateLimit(burst: 16, perSecond: 0.5)

    /// What the app hears. During the ``probation`` of a session it is still interrupted, although calls work.
    private(set) var state = BusClient.State.connecting
    private var backOff: BackOff
    private var socketChanges = Self.socketChanges
    private var runningSince: ContinuousClock.Instant?
    /// Whether the last session broke before it was sound.
    private var isUnsound = false

    init(backOff: BackOff = BackOff()) { self.backOff = backOff }

    /// Whether a session has begun and is not known to be lost.
    var hasSession: Bool { runningSince != nil && !isClosed }

    /// The delay before the next attempt. Later ones are longer.
    mutating func delay() -> Duration { backOff.next() }

    /// The daemon's socket has changed: a daemon may be there any moment.
    ///
    /// - Returns: whether to connect at once.
    mutating func socketChanged(at now: ContinuousClock.Instant) -> Bool {
        guard socketChanges.allows(at: now) else { return false }
        backOff.reset()
        return true
    }

    /// The ports are in the graph.
    ///
    /// - Returns: the time after which to call ``sessionLasted()``; `nil` if the client is running already.
    mutating func sessionBegan(at now: ContinuousClock.Instant) -> Duration? {
        guard !isClosed else { return nil }
        runningSince = now
        socketChanges = Self.socketChanges
        if isUnsound { return Self.probation }
        state = .running
        return nil
    }

    /// The session has lasted for the time of ``sessionBegan(at:)``. Without effect if it was lost.
    mutating func sessionLasted() { if !isClosed, runningSince != nil { state = .running } }

    /// The connection was lost.
    mutating func sessionLost(_ loss: ConnectionLoss, at now: ContinuousClock.Instant) -> Decision {
        guard !isClosed else { return .close }
        let wasSound = runningSince.map { $0.duration(to: now) >= Self.soundAfter } ?? false
        if wasSound { backOff.reset() }
        runningSince = nil
        let reason = StateReason(loss)
        guard loss != .removed else {
            state = .closed(reason)
            return .close
        }
        isUnsound = !wasSound && !reason.saysThatNoDaemonRuns && loss != .unanswered
        interrupt(reason)
        return .retry
    }

    /// A session could not be opened.
    mutating func openingFailed(_ error: PipeWireError, isInstalled: Bool) {
        guard !isClosed else { return }
        runningSince = nil
        interrupt(StateReason(openingFailure: error, isInstalled: isInstalled))
    }

    /// The daemon stands still while the ports of a session are being made.
    mutating func daemonIsSilent() {
        if !isClosed { interrupt(.silentDaemon(isConnectionLost: true)) }
    }

    private mutating func interrupt(_ reason: StateReason) {
        if case .interrupted(let known) = state {
            // The reason of the interruption stays, while the daemon is as absent as it says.
            if known.saysThatNoDaemonRuns, reason.saysThatNoDaemonRuns { return }
            // A broken connection says less than any other reason.
            if reason.kind == .failed { return }
        }
        state = .interrupted(reason)
    }

    /// - Returns: whether the client had not ended before.
    mutating func closed() -> Bool {
        guard !isClosed else { return false }
        state = .closed(.closedByApp)
        return true
    }

    private var isClosed: Bool {
        if case .closed = state { return true }
        return false
    }
}
