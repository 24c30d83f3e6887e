// SPDX-License-Identifier: MIT
import CRealtime
import PipeWireClient

extension BusClient {
    /// Takes all ports out of the graph and ends the connection. When it returns, no process block runs any more and
    /// nothing of the app is left in the graph. Idempotent.
    @concurrent
    public nonisolated func close() async {
        await tearDown()
        loop.stop()
    }

    /// Waits until the process is asked to end by SIGINT, SIGTERM or SIGHUP, then closes the client.
    ///
    /// Also returns when the daemon goes away, when the client is closed elsewhere, and when the task is cancelled. A
    /// second SIGINT or SIGTERM ends the process at once. SIGHUP, which comes when the terminal closes, has no effect in a
    /// process that was started with it ignored, as by `nohup`. After it writing to the terminal fails.
    ///
    /// ```swift
    /// let ending = await bus.runUntilSignal { _ in
    ///     if let levels = try? await input.levels { save(levels) }
    /// }
    /// ending.exit()
    /// ```
    ///
    /// - Parameter beforeClosing: is called while the ports are still in the graph, for what must be read or saved first.
    ///   After a lost connection or a close its calls to the client and its ports throw.
    /// - Returns: why it ended. An app that ignores it ends in silence when the daemon goes away.
    @concurrent
    public nonisolated func runUntilSignal(
        beforeClosing: @Sendable (Ending) async -> Void = { _ in }
    ) async -> Ending {
        let ending = await waitForSignal()
        await beforeClosing(ending)
        await close()
        return ending
    }

    /// Waits as ``runUntilSignal(beforeClosing:)`` does, and leaves the client open.
    ///
    /// - Returns: why it ended. The ports stay in the graph until ``close()``.
    public func waitForSignal() async -> Ending {
        guard isConnected else { return ended }
        let descriptor = crt_signal_watch()
        guard descriptor >= 0 else {
            // No handler, then: a signal ends the process, and the daemon clears away what it had.
            while isConnected, !Task.isCancelled { await waitForEnd() }
            return ended
        }
        defer { crt_signal_unwatch(descriptor) }
        var signal: Int32 = 0
        let reader = LoopReader(on: loop, descriptor: descriptor) { [unowned self] in
            assumeIsolated { $0.wakeEndWaiters() }
        }
        defer { reader.cancel() }
        // Nothing left to wait for a signal with: the first has no effect then, and the second ends the process.
        guard reader.isWatching else {
            while isConnected, !Task.isCancelled { await waitForEnd() }
            return ended
        }
        // An end that came for another reader's sake is none of ours.
        while signal == 0, isConnected, !Task.isCancelled {
            await waitForEnd()
            signal = crt_signal_take(descriptor)
        }
        return signal != 0 ? .signal(signal) : ended
    }

    private var isConnected: Bool { session != nil && terminationError == nil }

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
        if isConnected { return .cancelled }
        if let terminationError, terminationError.code != .closed { return .connectionLost(terminationError) }
        return .closed
    }
}
