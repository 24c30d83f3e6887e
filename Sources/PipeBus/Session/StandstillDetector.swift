// SPDX-License-Identifier: MIT

/// Detects a graph that stands still, from the cycle counts of connected ports. Pure.
struct StandstillDetector: Sendable {
    /// The time without a cycle after which a graph counts as standing still.
    static let limit: Duration = .seconds(2)
    /// The time between two updates. Of a longer one the rest does not count: this process itself may not have run.
    static let interval: Duration = .milliseconds(500)
    /// The longest time between two updates. A longer one does not count, because this process itself did not run.
    private static let longestPause: Duration = .milliseconds(1500)

    private var cycles: [Int: UInt64] = [:]
    /// When each of these ports was there for the first time. One that has just been connected says nothing.
    private var beginnings: [Int: SuspendingClock.Instant] = [:]
    private var lastUpdate: SuspendingClock.Instant?
    private var since: SuspendingClock.Instant?
    private var isReported = false

    /// Compares the counts with those of the last update.
    ///
    /// - Parameters:
    ///   - counts: the number of cycles of each port that has a reason to run, by the port's place.
    ///   - now: the time on CLOCK_MONOTONIC.
    /// - Returns: whether the graph stands still, once for each standstill.
    mutating func update(_ counts: [Int: UInt64], at now: SuspendingClock.Instant) -> Bool {
        let isMoving = counts.contains { id, count in cycles[id].map { $0 != count } ?? false }
        let pause = lastUpdate.map { now - $0 } ?? .zero
        let wasSuspended = pause > Self.longestPause
        if pause > Self.interval { since = since?.advanced(by: pause - Self.interval) }
        cycles = counts
        beginnings = counts.reduce(into: [:]) { $0[$1.key] = beginnings[$1.key] ?? now }
        lastUpdate = now
        guard !counts.isEmpty else {
            self = StandstillDetector()
            return false
        }
        if isMoving { isReported = false }
        guard let since, !isMoving, !wasSuspended else {
            since = now
            return false
        }
        guard now - since >= Self.limit, !isReported, beginnings.values.contains(where: { now - $0 >= Self.limit })
        else {
            return false
        }
        isReported = true
        return true
    }
}
