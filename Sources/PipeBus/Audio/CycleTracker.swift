// SPDX-License-Identifier: MIT

/// Finds the gaps between the cycles of a process block (xruns), by position.
///
/// PipeWire 0.3.65 counts no lost cycles for a client. A time may be rewritten; a position is not.
///
/// It is in this module because a function of package access is never inlined into another one.
struct CycleTracker: Sendable {
    private var clock: UInt32 = 0
    private var sampleRate = 0
    private var next: UInt64 = 0
    /// Before the first cycle it is an epoch that no port reaches.
    private var connectionEpoch = UInt64.max

    struct Gap: Equatable, Sendable {
        /// Number of frames that the connected port missed.
        var missedFrames: Int
        /// Whether the cycle does not continue the last one.
        var isDiscontinuous: Bool

        @_noLocks
        init(missedFrames: Int, isDiscontinuous: Bool) {
            self.missedFrames = missedFrames
            self.isDiscontinuous = isDiscontinuous
        }
    }

    init() {}

    /// - Parameters:
    ///   - moment: the cycle's clock and position. Time between two clocks is not missed.
    ///   - connectionEpoch: changes whenever the port is connected again. Time without a connection is not missed.
    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    mutating func advance(
        to moment: GraphMoment, sampleRate: Int, frameCount: Int, connectionEpoch: UInt64
    ) -> Gap {
        var gap = Gap(missedFrames: 0, isDiscontinuous: true)
        let position = moment.position
        if self.connectionEpoch == connectionEpoch, moment.clock == clock, sampleRate == self.sampleRate {
            if position == next {
                gap.isDiscontinuous = false
            } else if position > next {
                // Clamped, so that a daemon's bad value cannot overflow a sum.
                gap.missedFrames = Int(truncatingIfNeeded: min(position - next, 1 << 40))
            }
        } else {
            self.connectionEpoch = connectionEpoch
            clock = moment.clock
            self.sampleRate = sampleRate
        }
        next = position &+ UInt64(truncatingIfNeeded: frameCount)
        return gap
    }

    /// Whether a cycle begins where the last one ended.
    ///
    /// - Realtime: safe.
    @_noLocks
    func isContinued(by moment: GraphMoment, sampleRate: Int) -> Bool {
        moment.clock == clock && sampleRate == self.sampleRate && moment.position == next
    }
}
