// SPDX-License-Identifier: MIT

/// Decides when a lane's invalid samples are announced: once for each source, and again after a pause of ten seconds. Pure.
struct InvalidSampleWatch {
    private var blocks: UInt64
    private var sourceGeneration: UInt64 = 0
    private var lastSeen: SuspendingClock.Instant?

    /// - Parameter blocks: the number of invalid blocks that the lane has had.
    init(blocks: UInt64) { self.blocks = blocks }

    /// Looks at the counter.
    ///
    /// - Parameters:
    ///   - blocks: the number of invalid blocks that the lane has had.
    ///   - sourceGeneration: of the source of the last such block.
    ///   - now: on CLOCK_MONOTONIC.
    /// - Returns: whether the source is to be announced.
    mutating func look(_ blocks: UInt64, of sourceGeneration: UInt64, at now: SuspendingClock.Instant) -> Bool {
        guard blocks != self.blocks else { return false }
        let wasAnnounced =
            sourceGeneration == self.sourceGeneration && lastSeen.map { now - $0 < .seconds(10) } == true
        self.blocks = blocks
        self.sourceGeneration = sourceGeneration
        lastSeen = now
        return !wasAnnounced
    }
}
