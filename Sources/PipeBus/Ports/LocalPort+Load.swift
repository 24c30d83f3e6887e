// SPDX-License-Identifier: MIT

extension LocalPort {
    /// The share of the cycles' time that the port's callback takes. 0 once it was not called for two seconds.
    ///
    /// A process block that does not return shows here: its load grows until it does.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/load``.
    public final var load: PortLoad { PortLoad(handle.cells.load, at: .now) }

    /// Number of xruns since the port was made; as ``PortStatistics/gaps``.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/xrunCount``.
    public final var xrunCount: Int { Int(clamping: handle.cells.xrunCount) }

    /// The last xruns, 16 at most, oldest first.
    ///
    /// - Thread: any, without waiting for the audio thread.
    /// - Realtime: unsafe, see ``LocalPort``.
    public final var xruns: [Xrun] {
        handle.cells.lastXruns.map { Xrun($0.entry, culprit: handle.culprits[$0.number]) }
    }

    /// Whether the port had an xrun less than a second ago.
    ///
    /// - Thread: any, without a lock.
    /// - Realtime: unsafe, see ``LocalPort``; a process block reads ``AudioCycle/isRecoveringFromXrun``.
    public final var isRecoveringFromXrun: Bool {
        guard let last = handle.cells.lastXruns.last else { return false }
        let now = MonotonicTime.now.nanoseconds
        return now < last.entry.nanoseconds || now - last.entry.nanoseconds < 1_000_000_000
    }
}
