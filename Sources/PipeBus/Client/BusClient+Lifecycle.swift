// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Sessions start and end one after the other: each of these calls holds ``BusClient/lifecycleLock``.
extension BusClient {
    /// Starts the first session.
    func open(timeout: Duration) async throws(PipeWireError) {
        selfReference = self
        jobs = JobQueue { [unowned self] in assumeIsolated { $0.startJob() } }
        try await startSession(timeout: timeout)
    }

    private func startSession(timeout: Duration) async throws(PipeWireError) {
        guard let jobs else { throw .closed }
        let session = try DaemonSession(
            DaemonSession.Context(
                firstRevision: lastGraph.revision,
                app: app, remote: remote, loop: loop, recorder: recorder, declared: declared, notices: noticeLog,
                graphReaders: graphReaders, jobs: jobs,
                startRepair: { [weak self] pair in Task { await self?.repairOrder(pair) } }))
        session.onFailure = { [unowned self] error in assumeIsolated { $0.sessionFailed(error) } }
        do throws(PipeWireError) {
            try await session.open(timeout: timeout)
        } catch {
            await session.end()
            throw error
        }
        self.session = session
    }

    /// Ends the session, and keeps the declarations. Calls fail until ``restartSession(timeout:)``. Idempotent.
    package func endSession() async { await lifecycleLock.withLock { await self.endPresentSession() } }

    /// Ends the session if there is one, starts another, and makes everything in it that is declared.
    ///
    /// - Parameter timeout: time limit for the daemon's answers when connecting.
    /// - Throws: ``PipeBusError``: the reason why there is no session, also if the client was closed or lost its
    ///   connection before; or the first error of the rebuild, after which the session holds everything else.
    package func restartSession(timeout: Duration = .seconds(5)) async throws {
        try await lifecycleLock.withLock { try await self.replaceSession(timeout: timeout) }
    }

    private func replaceSession(timeout: Duration) async throws {
        if let error = termination.error { throw error }
        await endPresentSession()
        do throws(PipeWireError) {
            try await startSession(timeout: timeout)
        } catch {
            throw PipeBusError(error)
        }
        try await liveSession().rebuild()
    }

    private func endPresentSession() async {
        guard let session else { return }
        if session.connection.isOpen {
            // A connection that another program has ended is forgotten within a round trip.
            try? await session.connection.pipeWire.sync(timeout: .seconds(1))
        }
        lastGraph = session.model.snapshot
        await session.end()
    }

    /// Starts a task for the oldest job: components cannot start tasks.
    private func startJob() { Task { runJob() } }

    private func runJob() { jobs?.run() }

    private func repairOrder(_ pair: PortOrder.Pair) async { await session?.repairOrder(pair) }

    // MARK: The end

    /// Ends the client, because its connection is lost. Called inside PipeWire's callback.
    private func sessionFailed(_ error: PipeWireError) {
        guard termination.end(because: PipeBusError(error)) else { return }
        endStreams()
        if case .connectionLost(.unknown) = error { Task { await findReasonForLoss() } } else { termination.wake() }
    }

    /// Ends the session and the client. When the call returns, nothing of the app is in the graph. Idempotent.
    func tearDown() async {
        termination.end(because: PipeBusError(PipeWireError.closed))
        // A rebuild that goes on would hold the lock for as long as it waits for the graph.
        session?.connection.fail(with: .closed)
        await lifecycleLock.withLock { await self.endEverything() }
    }

    private func endEverything() async {
        guard jobs != nil else { return }
        await endPresentSession()
        session = nil
        endStreams()
        declared.removeAll()
        termination.wake()
        jobs = nil
        selfReference = nil
    }

    private func endStreams() {
        for port in declared.ports { port.handle.close() }
        graphReaders.finish()
        noticeLog.finish()
    }
}
