// SPDX-License-Identifier: MIT
import CRealtime
import PipeWireClient

extension BusClient {
    /// Takes all ports out of the graph and ends the connection. When it returns, no process block runs any more and
    /// nothing of the app is left in the graph. Twice is once.
    @concurrent
    public nonisolated func close() async {
        await tearDown()
        loop.stop()
    }

    /// Why ``runUntilSignal()`` came back.
    public enum Ending: Sendable, Hashable {
        /// The process was asked to end: SIGINT or SIGTERM.
        case signal(Int32)
        /// The daemon went away.
        case connectionLost(PipeBusError)
        /// Somebody closed the client.
        case closed
        /// The task that waited was cancelled.
        case cancelled
    }

    /// Keeps the app on the bus until the process is asked to end by SIGINT or SIGTERM, then closes the client. Also
    /// comes back when the daemon goes away, when somebody else closes the client, and when the task is cancelled. A second
    /// signal ends the process at once.
    ///
    /// - Throws: nothing. What happened is returned.
    @concurrent
    @discardableResult
    public nonisolated func runUntilSignal() async -> Ending {
        let ending = await waitForSignal()
        await close()
        return ending
    }

    private func waitForSignal() async -> Ending {
        guard connection != nil, ending == nil else { return ended }
        let descriptor = crt_signal_watch()
        guard descriptor >= 0 else {
            // No handler, then: a signal ends the process, and the daemon clears away what it had.
            while connection != nil, ending == nil, !Task.isCancelled { await waitForEnd() }
            return ended
        }
        defer { crt_signal_unwatch(descriptor) }
        var signal: Int32 = 0
        let reader = LoopReader(on: loop, descriptor: descriptor) { [unowned self] in
            assumeIsolated { $0.wakeEndWaiters() }
        }
        defer { reader.cancel() }
        // An end that came for another reader's sake is none of ours.
        while signal == 0, connection != nil, ending == nil, !Task.isCancelled {
            await waitForEnd()
            signal = crt_signal_take(descriptor)
        }
        return signal != 0 ? .signal(signal) : ended
    }

    private func waitForEnd() async {
        await withTaskCancellationHandler {
            // Not if the cancelling came first: nobody would wake us.
            if !Task.isCancelled { await withCheckedContinuation { endWaiters.append($0) } }
        } onCancel: {
            Task { await self.wakeEndWaiters() }
        }
    }

    func wakeEndWaiters() {
        for waiter in endWaiters { waiter.resume() }
        endWaiters = []
    }

    private var ended: Ending {
        if ending == nil, connection != nil { return .cancelled }
        if let ending, ending.code == .connectionLost { return .connectionLost(ending) }
        return .closed
    }

    private func tearDown() async {
        guard let connection else {
            // Somebody else is at it: the loop must not be stopped under them.
            if isTearingDown { await withCheckedContinuation { tearDownWaiters.append($0) } }
            return
        }
        self.connection = nil
        isTearingDown = true
        for node in nodes { remove(node) }
        nodes = []
        for node in unfinished { node.close() }
        for connection in asking { connection.close() }
        ordering = Ordering()
        namesInUse = []
        for link in links.values { link.close() }
        links = [:]
        cycleTimer?.cancel()
        cycleTimer = nil
        sharedState?.close()
        sharedState = nil
        // So that nothing is left in the graph when this returns. Fails at once if the daemon is gone.
        try? await connection.sync(timeout: .seconds(2))
        connection.onRegistryEvent = nil
        connection.onFailure = nil
        connection.close()
        if ending == nil { ending = PipeBusError(PipeWireError.closed) }
        wakeEveryone()
        selfReference = nil
        isTearingDown = false
        for waiter in tearDownWaiters { waiter.resume() }
        tearDownWaiters = []
    }
}
