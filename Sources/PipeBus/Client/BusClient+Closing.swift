// SPDX-License-Identifier: MIT
import PipeWireClient
import Synchronization

extension BusClient {
    /// Removes all ports from the graph and ends the connection. Idempotent.
    ///
    /// When the call returns, no process block runs any more and nothing of the app is left in the graph. Each of two things is
    /// waited for eight seconds at most: a daemon that does not answer, which removes what is left when it answers again; and a
    /// process block that does not return, after which the rest is done when it returns.
    @concurrent
    public nonisolated func close() async {
        // One task for all calls: none returns before the thread has ended.
        let ending = closing.withLock { closing in
            let ending = closing ?? Task { await self.end() }
            closing = ending
            return ending
        }
        if await blockWatch.wait(for: ending) != nil { return }
        // To the app the client is closed all the same.
        statePublisher.publish(.closed(.closedByApp))
        noticeLog.finish()
    }

    @concurrent
    private nonisolated func end() async {
        await tearDown()
        loop.stop()
        blockWatch.stop()
    }

    /// Waits for SIGINT, SIGTERM or SIGHUP, or until another app asks this one to end, then closes the client.
    ///
    /// | event | effect |
    /// | --- | --- |
    /// | another program removes the client, the client is closed elsewhere, or the task is cancelled | the call returns as well |
    /// | another app asks this one to end (``quit(_:timeout:)``), and ``answerQuitRequests(_:)`` agrees or was not called | the call returns |
    /// | the daemon ends, or the connection is lost for another reason | none: the client connects again |
    /// | a second SIGINT or SIGTERM | the process ends at once |
    /// | SIGTERM twice within 200 ms, as `timeout` sends it | as one |
    /// | SIGHUP, when the terminal closes | the call returns; writing to the terminal fails from then on |
    /// | SIGHUP in a process that was started with it ignored, as by `nohup` | none |
    /// | SIGINT or SIGTERM in a process that was started with it ignored, as a background job of a script | as otherwise |
    /// | a signal for which the app has installed a handler before | that is called as well, and is back when the call returns |
    /// | one for which it installs a handler later | that takes the place of this call's, and stays; the call returns only if that handler calls the one that it replaced |
    ///
    /// ```swift
    /// let ending = await bus.runUntilSignal { _ in
    ///     if let levels = try? await input.levels { save(levels) }
    /// }
    /// ending.exit()
    /// ```
    ///
    /// - Parameters:
    ///   - watch: a watch that the app has had since before this call. A signal that it has recorded ends the call at once.
    ///   - beforeClosing: called while the ports are still in the graph, to read or save their values. After a removal
    ///     or a close, its calls to the client and its ports throw.
    /// - Returns: the reason of the end. An app that ignores it reports nothing when it was removed.
    @concurrent
    public nonisolated func runUntilSignal(
        since watch: SignalWatch? = nil, beforeClosing: @Sendable (Ending) async -> Void = { _ in }
    ) async -> Ending {
        let ending = await signalOrEnd(since: watch)
        await beforeClosing(ending)
        await close()
        return ending
    }

    /// Waits as ``waitForSignal(since:)`` does, and sees a signal while a process block holds up the loop, too.
    @concurrent
    private nonisolated func signalOrEnd(since watch: SignalWatch?) async -> Ending {
        if let earlier = watch?.signal { return .signal(earlier) }
        let signals = SignalWatch()
        let waiting = Task { await wait(since: watch, with: signals) }
        return await withTaskCancellationHandler {
            if let ending = await blockWatch.wait(for: waiting, orFor: signals) { return ending }
            return signals.signal.map { .signal($0) } ?? .cancelled
        } onCancel: {
            waiting.cancel()
        }
    }

    /// Waits as ``runUntilSignal(since:beforeClosing:)`` does, and leaves the client open.
    ///
    /// - Parameter watch: a watch that the app has had since before this call. A signal that it has recorded ends the call at once.
    /// - Returns: the reason of the end. The ports stay in the graph until ``close()``.
    public func waitForSignal(since watch: SignalWatch? = nil) async -> Ending {
        await wait(since: watch, with: SignalWatch())
    }

    private func wait(since watch: SignalWatch?, with signals: SignalWatch) async -> Ending {
        guard isConnected else { return ended }
        if let earlier = watch?.signal { return .signal(earlier) }
        guard let descriptor = signals.descriptor else {
            // Without a handler, a signal ends the process, and the daemon removes its objects.
            while isConnected, requestedEnding == nil, !Task.isCancelled { await waitForEnd() }
            return ended
        }
        let reader = LoopReader(on: loop, descriptor: descriptor) { [unowned self] in
            assumeIsolated { $0.termination.wake() }
        }
        defer { reader.cancel() }
        // Without a watch on the descriptor the first signal has no effect, and the second ends the process.
        guard reader.isWatching else {
            while isConnected, requestedEnding == nil, !Task.isCancelled { await waitForEnd() }
            return ended
        }
        // Signals go to both watches from here on, and went to the app's alone before.
        if let earlier = watch?.signal { return .signal(earlier) }
        // A wake without a signal was for another waiter.
        while signals.signal == nil, requestedEnding == nil, isConnected, !Task.isCancelled { await waitForEnd() }
        return signals.signal.map { .signal($0) } ?? ended
    }

    private var isConnected: Bool { jobs != nil && termination.error == nil }

    private func waitForEnd() async {
        await withTaskCancellationHandler {
            // Not after the cancellation: its wake has come already, and no other would.
            if !Task.isCancelled { await self.termination.wait() }
        } onCancel: {
            Task { await self.wakeEndWaiters() }
        }
    }

    private func wakeEndWaiters() { termination.wake() }

    private var ended: Ending {
        if isConnected {
            return requestedEnding ?? .cancelled
        }
        if let error = termination.error, error.code != .closed { return .connectionLost(error) }
        return .closed
    }
}
