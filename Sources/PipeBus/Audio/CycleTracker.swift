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
    private var frameCount = 0
    private var nanoseconds: UInt64 = 0
    /// Before the first cycle it is an epoch that no port reaches.
    private(set) var connectionEpoch = UInt64.max
    /// Whether time has passed before the last cycle that the port did not miss: without a connection, between two
    /// clocks, or with another rate. Sound from before it is void.
    private(set) var isAfterPause = false

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
    ///   - nanoseconds: when the cycle began; 0 if the driver does not say.
    ///   - connectionEpoch: changes whenever the port is connected again. Time without a connection is not missed.
    /// - Realtime: safe.
    @_noLocks
    @inline(__always)
    mutating func advance(
        to moment: GraphMoment, nanoseconds: UInt64, sampleRate: Int, frameCount: Int, connectionEpoch: UInt64
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
            isAfterPause = false
        } else {
            isAfterPause = position != next || sampleRate != self.sampleRate || hasStood(until: nanoseconds)
            self.connectionEpoch = connectionEpoch
            clock = moment.clock
            self.sampleRate = sampleRate
        }
        next = position &+ UInt64(truncatingIfNeeded: frameCount)
        self.frameCount = frameCount
        self.nanoseconds = nanoseconds
        return gap
    }

    /// Whether a cycle begins where the last one ended.
    ///
    /// - Realtime: safe.
    @_noLocks
    func isContinued(by moment: GraphMoment, nanoseconds: UInt64, sampleRate: Int) -> Bool {
        moment.clock == clock && sampleRate == self.sampleRate && moment.position == next
            && !hasStood(until: nanoseconds)
    }

    /// Whether the driver stood still after the last cycle. Then a position goes on where it was.
    @_noLocks
    private func hasStood(until nanoseconds: UInt64) -> Bool {
        guard self.nanoseconds > 0, nanoseconds > self.nanoseconds else { return false }
        // Half a cycle late is late for a driver that runs.
        let passed = min(nanoseconds &- self.nanoseconds, 1 << 40) &* UInt64(truncatingIfNeeded: sampleRate)
        return passed > UInt64(truncatingIfNeeded: frameCount) &* 1_500_000_000
    }
}
