// SPDX-License-Identifier: MIT
import PipeWireClient

/// The waits of a client between two sessions, and its state. Confined to the loop.
final class Reconnector {
    private let loop: PipeWireLoop
    private let address: RemoteAddress
    private let remote: String?
    private let publisher: StatePublisher
    private var supervisor: Supervisor
    private let waits = WaitList()
    /// Calls of the app that wait for a session.
    private let calls = WaitList()
    private var watch: SocketWatch?
    private var isRunning = false
    /// Whether libpipewire has found a daemon where ``address`` has none: its configuration may name a socket (`remote.name`).
    private var isElsewhere = false

    init(to remote: String?, on loop: PipeWireLoop, publisher: StatePublisher, backOff: BackOff) {
        supervisor = Supervisor(backOff: backOff)
        self.remote = remote
        self.loop = loop
        self.publisher = publisher
        address = RemoteAddress(remote: remote)
    }

    // MARK: Events. Each publishes the state that follows from it.

    /// - Returns: the time after which to call ``sessionLasted()``; `nil` if the client is running already.
    func sessionBegan() -> Duration? {
        defer {
            publisher.publish(supervisor.state)
            calls.resumeAll()
        }
        watch = nil
        isElsewhere = !address.hasSocket
        return supervisor.sessionBegan(at: .now)
    }

    func sessionLasted() {
        supervisor.sessionLasted()
        publisher.publish(supervisor.state)
    }

    func sessionLost(_ loss: ConnectionLoss) -> Supervisor.Decision {
        defer { publisher.publish(supervisor.state) }
        return supervisor.sessionLost(loss, at: .now)
    }

    func openingFailed(_ error: PipeWireError) {
        supervisor.openingFailed(error, isInstalled: isInstalled)
        publisher.publish(supervisor.state)
    }

    /// The daemon stands still while the ports of a session are being made.
    func daemonIsSilent() {
        supervisor.daemonIsSilent()
        publisher.publish(supervisor.state)
    }

    /// The app has closed the client, or it could never connect.
    func closed() {
        if supervisor.closed() { publisher.publish(supervisor.state) }
        watch = nil
        waits.resumeAll()
        calls.resumeAll()
    }

    /// Whether a session has begun and is not known to be lost.
    var hasSession: Bool { supervisor.hasSession }

    /// Whether a daemon is installed. One that the app has named is only known to run or not.
    private var isInstalled: Bool { remote != nil || DaemonPresence(remote: nil).isInstalled }

    // MARK: Waiting

    /// Marks the client as reconnecting.
    ///
    /// - Returns: whether it was not yet.
    func begin() -> Bool {
        defer { isRunning = true }
        return !isRunning
    }

    func end() { isRunning = false }

    /// Waits until a daemon may be there: for the delay of the next attempt, or until its socket changes.
    func waitForDaemon() async {
        if let watch {
            // The socket may be in the new directory already.
            if watch.refresh(), supervisor.socketChanged(at: .now) { return }
        } else {
            watch = SocketWatch(on: loop, address: address) { [unowned self] in socketChanged() }
        }
        try? await waits.wait(for: supervisor.delay(), on: loop, waitingFor: "a daemon")
    }

    /// The error of an attempt that is known to be in vain: no daemon listens, or there are still too few descriptors.
    ///
    /// It is asked first, because a connection by libpipewire costs much more than a look, and may break at once.
    var knownFailure: PipeWireError? {
        if !isElsewhere, !address.isAnswered { return address.failure }
        guard supervisor.state.reason?.kind == .outOfDescriptors, let scarcity = DescriptorScarcity.now else {
            return nil
        }
        return .connectionLost(.fewDescriptors(left: scarcity.left, limit: scarcity.limit))
    }

    /// Waits until a session begins, the client ends or ``wakeCalls()`` is called.
    ///
    /// - Throws: ``PipeBusError`` `connectionLost` after the deadline, with the reason of the interruption.
    func waitForSession(by deadline: ContinuousClock.Instant) async throws {
        let left = ContinuousClock.now.duration(to: deadline)
        do throws(PipeWireError) {
            guard left > .zero else { throw .timedOut(what: "") }
            try await calls.wait(for: left, on: loop, waitingFor: "a session")
        } catch {
            throw interruption
        }
    }

    /// The error of a call that needs a session while there is none.
    var interruption: PipeBusError {
        PipeBusError(.connectionLost, supervisor.state.reason?.message ?? "The app is not connected to PipeWire now.")
    }

    /// Lets the calls that wait for a session check whether they may go on waiting.
    func wakeCalls() { calls.resumeAll() }

    private func socketChanged() {
        if supervisor.socketChanged(at: .now) { waits.resumeAll() }
    }
}
