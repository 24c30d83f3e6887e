// SPDX-License-Identifier: MIT
import PipeWireClient

/// The connection of one session to its daemon, with all waits for it: round trips, timers, sleeps, changes of the
/// graph. Confined to the loop.
final class SessionConnection {
    let pipeWire: PipeWireConnection
    let loop: PipeWireLoop
    private let jobs: JobQueue
    private let timers: Timers
    /// Tasks that wait for the graph to change.
    private let changeWaits = WaitList()
    /// Tasks that sleep.
    private let sleeps = WaitList()
    /// The reason why the session has failed or ended; `nil` before.
    private(set) var failure: PipeBusError?

    /// Connects. The connection must be closed.
    init(to remote: String?, on loop: PipeWireLoop, as app: AppIdentity, jobs: JobQueue, recorder: CallRecorder?)
        throws(PipeWireError)
    {
        self.loop = loop
        self.jobs = jobs
        timers = Timers(on: loop, jobs: jobs)
        var properties = [
            ("application.name", app.name), ("application.id", app.id), ("media.category", "Duplex"),
            ("media.role", "Production"),
        ]
        if let iconName = app.iconName { properties.append(("application.icon-name", iconName)) }
        pipeWire = try PipeWireConnection(loop: loop, properties: properties, remote: remote, recorder: recorder)
    }

    var isOpen: Bool { failure == nil }
    /// Whether the daemon is gone, or has ended the connection.
    var isLost: Bool { failure?.code == .connectionLost }

    /// - Throws: the reason why the session has failed or ended, if it has.
    func checkOpen() throws { if let failure { throw failure } }

    // MARK: Deferred work

    /// Adds a job, which runs outside PipeWire's callbacks.
    func later(_ job: @escaping () -> Void) { jobs.add(job) }

    /// Adds a job after a delay, unless the session ends before.
    func after(_ delay: Duration, _ job: @escaping () -> Void) { timers.after(delay, job) }

    /// Adds a job after a round trip: when the daemon has handled everything sent so far. Never if the session ends
    /// before.
    func afterRoundTrip(_ job: @escaping () -> Void) {
        try? pipeWire.afterRoundTrip { [jobs] in jobs.add(job) }
    }

    /// A timer for a value that changes without an event.
    func makePollTimer() -> PollTimer { PollTimer(on: loop, jobs: jobs) }

    /// The same for a value that is polled often.
    func makeLoopPoll() -> LoopPoll { LoopPoll(on: loop) }

    // MARK: Waiting

    /// Waits until the daemon has handled everything sent so far.
    ///
    /// Changes of our own ports come back from the daemon, like all changes of the graph, before its answer to this. So
    /// after the call our graph shows what the app has just published.
    func roundTrip() async throws {
        do throws(PipeWireError) {
            try await pipeWire.sync()
        } catch {
            throw PipeBusError(error)
        }
    }

    /// Asks the daemon, and returns whether it sends nothing for a second.
    func isDaemonSilent() async -> Bool {
        try? await pipeWire.sync(timeout: .seconds(1))
        return pipeWire.isSilent
    }

    /// The error of a call that has had no answer, if the daemon gives none to anybody; `nil` if another app is to blame.
    func errorIfDaemonIsSilent() async -> PipeBusError? {
        guard await isDaemonSilent() else { return nil }
        return PipeBusError(
            .timedOut, "The PipeWire daemon does not answer; restart it if it stays so, then try again.")
    }

    /// Waits until all channels of a new port have appeared: they come one by one, within two round trips.
    func settle(by deadline: ContinuousClock.Instant) async throws {
        do throws(PipeWireError) {
            for _ in 0..<2 { try await pipeWire.sync(by: deadline) }
        } catch {
            throw PipeBusError(error)
        }
    }

    /// Sleeps, until the session ends at most.
    func sleep(for duration: Duration) async {
        try? await sleeps.wait(for: duration, on: loop, waitingFor: "some time to pass")
    }

    /// Retries an attempt after every change of the graph, until it has a result or the deadline has passed.
    ///
    /// - Parameter what: the noun phrase after "waited … for" in the error.
    func firstResult<Value>(
        by deadline: ContinuousClock.Instant, waitingFor what: String, _ attempt: () throws -> Value?
    ) async throws -> Value {
        while true {
            try checkOpen()
            if let value = try attempt() { return value }
            try Task.checkCancellation()
            let left = max(ContinuousClock.now.duration(to: deadline), .zero)
            do throws(PipeWireError) {
                // The cancellation of the task resumes this wait: see ``BusClient/cancellable(_:)``.
                try await changeWaits.wait(for: left, on: loop, waitingFor: what)
            } catch {
                throw PipeBusError(error)
            }
        }
    }

    /// Resumes the tasks that wait for a change of the graph.
    func wakeWaits() { changeWaits.resumeAll() }

    var isSleeping: Bool { !sleeps.isEmpty }

    // MARK: The end

    /// Ends all waits for the daemon. The first reason is kept. Idempotent.
    func fail(with error: PipeWireError) {
        if failure == nil { failure = PipeBusError(error) }
        timers.cancelAll()
        changeWaits.resumeAll()
        sleeps.resumeAll()
    }

    /// Ends the connection, after the daemon has handled everything sent so far. A daemon that does not answer is not waited
    /// for again. Idempotent.
    func close() async {
        // An error means that the daemon is gone.
        if !pipeWire.isSilent { try? await pipeWire.sync(timeout: .seconds(2)) }
        pipeWire.onRegistryEvent = nil
        pipeWire.onFailure = nil
        pipeWire.close()
    }
}
