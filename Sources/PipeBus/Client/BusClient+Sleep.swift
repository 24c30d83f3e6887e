// SPDX-License-Identifier: MIT
package import PipeWireClient

extension BusClient {
    /// Begins to watch for the system's sleep.
    func watchSleep() {
        guard let jobs else { return }
        suspensions = SuspensionWatch(
            on: loop, jobs: jobs, publisher: statePublisher, blockWatch: blockWatch, readClocks: sleepSigns.clocks,
            awoke: { [unowned self] in assumeIsolated { $0.declared.markDiscontinuous() } })
        guard sleepSigns.busAddress != nil else { return }
        // Loading reads files, so not on the loop.
        Task.detached { [weak self] in if SleepBus.load() { await self?.joinSleepSignals() } }
    }

    private func joinSleepSignals() {
        guard suspensions != nil, let address = sleepSigns.busAddress else { return }
        if SleepSignals.shared.add(self, at: address) { connectSleepBus() }
    }

    /// Connects to the bus, for all clients of this process.
    private func connectSleepBus() {
        guard suspensions != nil, sleepBus == nil, let address = sleepSigns.busAddress else { return }
        sleepBus = SleepBus(
            on: loop, address: address,
            changed: { SleepSignals.shared.send($0 ? .goesToSleep : .wokeUp, at: address) },
            ended: { SleepSignals.shared.send(.busEnded, at: address) })
    }

    func takeSleepSignals() {
        for signal in SleepSignals.shared.take(for: self) {
            switch signal {
            case .goesToSleep: suspensions?.systemSleeps(true)
            case .wokeUp: suspensions?.systemSleeps(false)
            case .busEnded:
                // Its callback is over.
                sleepBus = nil
                suspensions?.busEnded()
            }
        }
    }

    /// Ends the watch. Another client of this process may have to connect to the bus. Idempotent.
    func stopWatchingSleep() {
        suspensions?.close()
        suspensions = nil
        sleepBus = nil
        if let next = SleepSignals.shared.remove(self) { Task { await next.connectSleepBus() } }
    }
}

/// Where a client looks for signs of the system's sleep.
package struct SleepSigns: Sendable {
    /// The address of the system bus; `nil` for none.
    package var busAddress = SleepBus.defaultAddress
    package var clocks: @Sendable () -> SystemClocks? = { SystemClocks.now }

    package init() {}
}
