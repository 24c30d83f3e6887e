// SPDX-License-Identifier: MIT
import ConnectionGraph
import PipeWireClient

/// Sessions start and end one after the other: each of these calls holds ``BusClient/lifecycleLock``.
extension BusClient {
    /// The time limit for a daemon that works to report the whole graph.
    private static let openingLimit: Duration = .seconds(60)

    /// Starts the first session.
    ///
    /// - Parameters:
    ///   - timeout: time limit for the daemon to send anything at all.
    ///   - waitsForDaemon: whether the client goes on without a session, if no daemon can be used now.
    func open(timeout: Duration, waitsForDaemon: Bool) async throws(PipeWireError) {
        selfReference = self
        jobs = JobQueue { [unowned self] in assumeIsolated { $0.startJob() } }
        watchSleep()
        do throws(PipeWireError) {
            try await startSession(timeout: max(timeout, Self.openingLimit), silence: timeout)
            _ = reconnector.sessionBegan()
        } catch {
            guard waitsForDaemon else { throw error }
            reconnector.openingFailed(error)
            reconnect()
        }
    }

    private func startSession(timeout: Duration, silence: Duration? = nil) async throws(PipeWireError) {
        guard let jobs, let suspensions, termination.error == nil else { throw .closed }
        let session = try DaemonSession(
            DaemonSession.Context(
                firstRevision: lastGraph.revision,
                app: app, remote: remote, loop: loop, recorder: recorder, declared: declared, notices: noticeLog,
                states: statePublisher, clock: clockPublisher, suspensions: suspensions,
                blockWatch: blockWatch, graphReaders: graphReaders, jobs: jobs,
                startRepair: { [weak self] pair in Task { await self?.repairOrder(pair) } },
                startRestoring: { [weak self] in Task { await self?.restore() } },
                startMonitoring: { [weak self] in Task { await self?.monitor() } },
                startExchanges: { [weak self] port in Task { await self?.exchangeSources(at: port) } }))
        session.quitRequests.onRequest = { [unowned self] request, number in
            assumeIsolated { $0.quitRequested(request, number: number) }
        }
        session.onFailure = { [unowned self] error in assumeIsolated { $0.sessionFailed(error) } }
        startingSession = session
        defer { startingSession = nil }
        do throws(PipeWireError) {
            try await session.open(timeout: timeout, silence: silence)
        } catch {
            await session.end()
            throw error
        }
        guard session.connection.isOpen else {
            await session.end()
            throw session.connection.pipeWire.failure ?? .closed
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
        if session.connection.isOpen, !session.connection.pipeWire.isSilent {
            // A connection that another program has ended is forgotten within a round trip.
            try? await session.connection.pipeWire.sync(timeout: .seconds(1))
        }
        lastGraph = session.model.snapshot
        await session.end()
        if self.session === session { self.session = nil }
    }

    /// Starts a task for the oldest job: components cannot start tasks.
    private func startJob() { Task { runJob() } }

    private func runJob() { jobs?.run() }

    private func repairOrder(_ pair: PortOrder.Pair) async { await session?.repairOrder(pair) }
    private func restore() async { await session?.restore() }
    private func exchangeSources(at port: GraphPort.ID) async { await session?.filterExchanges.run(at: port) }
    /// Also while the session is being opened: the default device is among the first that the daemon reports.
    private func monitor() async { await (session ?? startingSession)?.monitors.run() }

    // MARK: Loss

    /// Handles the loss of a session's connection. Called inside PipeWire's callback, so nothing is destroyed here.
    private func sessionFailed(_ error: PipeWireError) {
        // The opening of a session fails by itself.
        guard termination.error == nil, let session, !session.connection.isOpen, case .connectionLost(let loss) = error
        else { return }
        if case .unknown = loss { unexplainedLoss = session } else { connectionLost(loss) }
        if termination.error == nil { reconnect() }
    }

    private func connectionLost(_ loss: ConnectionLoss) {
        if reconnector.sessionLost(loss) == .close {
            terminate(because: PipeBusError(PipeWireError.connectionLost(loss)))
        }
    }

    /// Starts to connect again, unless the client does so already.
    private func reconnect() {
        guard reconnector.begin() else { return }
        Task { await self.reconnectUntilRunning() }
    }

    private func reconnectUntilRunning() async {
        defer { reconnector.end() }
        while termination.error == nil {
            await explainLoss()
            // After the end the session is kept, for the app to read from its ports until it closes the client.
            guard termination.error == nil else { return }
            await lifecycleLock.withLock { await self.endLostSession() }
            guard termination.error == nil, session == nil else { return }
            await reconnector.waitForDaemon()
            await lifecycleLock.withLock { await self.attempt() }
        }
    }

    /// Finds out why the connection was lost, by a connection to the present daemon.
    private func explainLoss() async {
        guard let lost = unexplainedLoss else { return }
        let loss = await lost.reasonForLoss {
            statePublisher.publishSilence(.silentDaemon(isConnectionLost: true))
        }
        unexplainedLoss = nil
        if termination.error == nil { connectionLost(loss) }
    }

    private func endLostSession() async {
        guard let session, !session.connection.isOpen else { return }
        await endPresentSession()
        // Nothing of it exists any more.
        lastGraph = GraphSnapshot(revision: lastGraph.revision + 1)
        graphReaders.send(lastGraph)
    }

    /// Connects once, and makes the ports.
    private func attempt() async {
        guard termination.error == nil, session == nil else { return }
        do throws(PipeWireError) {
            if let failure = reconnector.knownFailure { throw failure }
            try await startSession(timeout: Self.openingLimit, silence: .seconds(5))
        } catch {
            // A close has its own reason.
            if termination.error == nil { reconnector.openingFailed(error) }
            return
        }
        guard let session else { return }
        await makePorts(of: session)
        guard session.connection.isOpen else { return }
        if let time = reconnector.sessionBegan() { Task { await self.endProbation(of: session, after: time) } }
        session.startRestoring()
    }

    /// Makes the ports of a session. A daemon that stands still meanwhile is waited for: the app is not connected before.
    private func makePorts(of session: DaemonSession) async {
        let connection = session.connection
        while connection.isOpen, termination.error == nil {
            do {
                return try await session.makePorts()
            } catch {
                // The session goes on without the port, and `restore` tries it again.
                guard connection.pipeWire.isSilent else { return }
            }
            reconnector.daemonIsSilent()
            while connection.isOpen, termination.error == nil, await connection.isDaemonSilent() {}
        }
    }

    private func endProbation(of session: DaemonSession, after time: Duration) async {
        await session.connection.sleep(for: time)
        if self.session === session, session.connection.isOpen { reconnector.sessionLasted() }
    }

    // MARK: The end

    /// Ends the client for a reason of its own. The session stays until the client is closed.
    private func terminate(because error: PipeBusError) {
        guard termination.end(because: error) else { return }
        endStreams()
        termination.wake()
        reconnector.wakeCalls()
    }

    /// Ends the session and the client. When the call returns, nothing of the app is in the graph. Idempotent.
    func tearDown() async {
        termination.end(because: PipeBusError(PipeWireError.closed))
        reconnector.closed()
        // A rebuild that goes on would hold the lock for as long as it waits for the graph.
        session?.connection.fail(with: .closed)
        startingSession?.connection.pipeWire.abort()
        await lifecycleLock.withLock { await self.endEverything() }
    }

    private func endEverything() async {
        guard jobs != nil else { return }
        await endPresentSession()
        stopWatchingSleep()
        endStreams()
        declared.removeAll()
        termination.wake()
        jobs?.close()
        jobs = nil
        selfReference = nil
    }

    private func endStreams() {
        for port in declared.ports { port.handle.close() }
        graphReaders.finish()
        clockPublisher.finish()
        noticeLog.finish()
    }
}
