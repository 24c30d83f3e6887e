// SPDX-License-Identifier: MIT

/// Finds that the cycles of a port stand still, from its count of frames. Pure.
struct FrameProgress {
    /// Without cycles for so long, the graph stands still, and there is no sound that could have a gap.
    static let standstill: Duration = .seconds(1)

    private var last: (count: UInt64, time: ContinuousClock.Instant)?

    /// Takes note of the present count.
    mutating func stands(at count: UInt64, _ now: ContinuousClock.Instant = .now) -> Bool {
        if let last, last.count == count { return last.time.duration(to: now) > Self.standstill }
        last = (count, now)
        return false
    }
}
