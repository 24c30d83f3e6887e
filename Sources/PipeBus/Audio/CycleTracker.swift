// SPDX-License-Identifier: MIT

/// Finds the gaps between the cycles that a process block sees, by position: PipeWire 0.3.65 counts no lost cycles for
/// a client, and a time may be rewritten while a position is not.
///
/// It stands here and not with the other primitives because a function of package access is never inlined into another
/// module.
struct CycleTracker: Sendable {
    private var clock: UInt32 = 0
    private var sampleRate = 0
    private var next: UInt64 = 0
    /// Before the first cycle it is one that no port reaches.
    private var connectionEpoch = UInt64.max

    struct Gap: Equatable, Sendable {
        /// Frames that the clock went on without the block, although it was connected.
        var missedFrames: Int
        /// The cycle does not continue the last one.
        var isDiscontinuous: Bool

        @_noLocks
        init(missedFrames: Int, isDiscontinuous: Bool) {
            self.missedFrames = missedFrames
            self.isDiscontinuous = isDiscontinuous
        }
    }

    init() {}

    /// - Parameters:
    ///   - clock: which clock the position is of; another one starts elsewhere.
    ///   - connectionEpoch: changes whenever the port is connected again: time spent unconnected was not missed.
    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    mutating func advance(
        clock: UInt32, sampleRate: Int, position: UInt64, frameCount: Int, connectionEpoch: UInt64
    ) -> Gap {
        var gap = Gap(missedFrames: 0, isDiscontinuous: true)
        if self.connectionEpoch == connectionEpoch, clock == self.clock, sampleRate == self.sampleRate {
            if position == next {
                gap.isDiscontinuous = false
            } else if position > next {
                // Bounded, so that a daemon's nonsense cannot overflow a sum.
                gap.missedFrames = Int(truncatingIfNeeded: min(position - next, 1 << 40))
            }
        } else {
            self.connectionEpoch = connectionEpoch
            self.clock = clock
            self.sampleRate = sampleRate
        }
        next = position &+ UInt64(truncatingIfNeeded: frameCount)
        return gap
    }
}
