// SPDX-License-Identifier: MIT

/// Detects ports that should run and that nothing drives, each by itself, from polled counters. Pure.
struct NoDriverDetector: Sendable {
    /// A connected port's counters at one moment.
    struct Sample: Sendable, Equatable {
        /// Number of the port's cycles.
        var cycles: UInt64
        /// The position of the driver's clock; `nil` while the port has no driver, or one that freewheels.
        var clock: UInt64?
        /// Whether only a driver is missing for the port to run: its node is scheduled, or there is no driver in the graph.
        /// Otherwise the graph is idle, as when the port's peer is paused.
        var isDue: Bool
    }

    /// The time without a cycle after which a port has no driver.
    static let limit: Duration = .seconds(2)
    /// The longest time between two updates. A longer one does not count, because this process itself did not run.
    private static let longestPause: Duration = .milliseconds(1500)

    private var samples: [Int: Sample] = [:]
    /// Since when each port stands.
    private var since: [Int: SuspendingClock.Instant] = [:]
    private var lastUpdate: SuspendingClock.Instant?

    /// Takes the counters of every port that has a reason to run, by the port's place.
    ///
    /// - Parameter now: the time on CLOCK_MONOTONIC.
    /// - Returns: the ports that nothing drives.
    mutating func update(_ samples: [Int: Sample], at now: SuspendingClock.Instant) -> Set<Int> {
        if let lastUpdate, now - lastUpdate > Self.longestPause { since = [:] }
        lastUpdate = now
        // A driver whose clock goes on although the port gets no cycles is not to blame: a source hangs.
        let standing = samples.filter { key, sample in sample.isDue && sample == self.samples[key] }
        since = since.filter { standing[$0.key] != nil }
        for key in standing.keys where since[key] == nil { since[key] = now }
        self.samples = samples
        return Set(since.filter { now - $0.value >= Self.limit }.keys)
    }
}
