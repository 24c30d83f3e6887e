// SPDX-License-Identifier: MIT

/// Finds out that a graph stands still, from how many cycles the connected ports have run. Pure.
struct StandstillDetector: Sendable {
    /// A graph whose cycles are this far apart stands still.
    static let limit: Duration = .seconds(2)
    /// Between two looks there is less, unless whoever looks was held up too: then nothing is known of the time between.
    private static let longestPause: Duration = .milliseconds(1500)

    private var cycles: [UInt64: UInt64] = [:]
    private var lastLook: SuspendingClock.Instant?
    private var since: SuspendingClock.Instant?
    private var isAnnounced = false

    /// Looks at the counters.
    ///
    /// - Parameters:
    ///   - counts: how many cycles each port has run that has a reason to run, by any number of its own.
    ///   - now: on CLOCK_MONOTONIC.
    /// - Returns: whether the graph is found to stand still, once for each time that it does.
    mutating func look(_ counts: [UInt64: UInt64], at now: SuspendingClock.Instant) -> Bool {
        let isMoving = counts.contains { id, count in cycles[id].map { $0 != count } ?? false }
        let wasHeldUp = lastLook.map { now - $0 > Self.longestPause } ?? false
        cycles = counts
        lastLook = now
        guard !counts.isEmpty else {
            self = StandstillDetector()
            return false
        }
        if isMoving { isAnnounced = false }
        guard let since, !isMoving, !wasHeldUp else {
            since = now
            return false
        }
        guard now - since >= Self.limit, !isAnnounced else { return false }
        isAnnounced = true
        return true
    }
}
