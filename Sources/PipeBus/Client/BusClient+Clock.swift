// SPDX-License-Identifier: MIT

extension BusClient {
    /// The graph's sample rate, the length of its cycles and its driver, also before anything is connected.
    ///
    /// It is known as soon as the client is connected, so an app can prime its buffers before the first cycle. It is `nil`
    /// while there is no connection to a daemon; and while no port of the app runs, if the daemon does not let the app
    /// read its settings. It follows the cycles within half a second.
    ///
    /// ```swift
    /// let rate = bus.clock?.sampleRate ?? 48_000
    /// ```
    ///
    /// - Thread: any.
    /// - Realtime: unsafe: it takes a lock. A process block has ``AudioCycle/sampleRate`` and ``AudioCycle/frameCount``.
    public nonisolated var clock: ClockState? { clockPublisher.clock }

    /// The present ``clock``, and then the clock after every change. Changes are coalesced.
    ///
    /// - Thread: any.
    /// - Realtime: unsafe.
    public nonisolated var clockUpdates: Updates<ClockState?> {
        Updates { [clockPublisher] in clockPublisher.subscribe() }
    }
}
