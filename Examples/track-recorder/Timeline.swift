// SPDX-License-Identifier: MIT
import PipeBus

/// One time for a whole recording, in frames, computed from the positions of the graph's cycles.
///
/// | the cycle is | and begins |
/// | --- | --- |
/// | on the same clock | at its position plus a constant: missed frames stay open, a position that comes twice is the same time again |
/// | on another clock, also on one that was left before | as long behind the last cycle as CLOCK_MONOTONIC says |
/// | on the same clock, but more than a cycle further back: the device was restarted | likewise |
/// | on the same clock, but a minute further on than CLOCK_MONOTONIC, and not freewheeling: its id is another device's now | likewise |
/// | on a clock that stands still: its driver does not count | behind the last cycle, where CLOCK_MONOTONIC agrees |
///
/// A clock that the graph has left may stop or start again, so its later positions say nothing about the time between.
/// While the graph freewheels the position is the time, and CLOCK_MONOTONIC is not used.
struct Timeline: Sendable {
    /// The difference between the recording's time and a position of the present clock.
    private var offset: Int64 = 0
    /// The clock of the last cycle; `nil` before the first.
    private var clock: GraphClock?
    /// The position of the last cycle.
    private var position: UInt64 = 0
    private var place: Int64 = 0
    private var time: UInt64 = 0
    private var wasFreewheeling = false
    /// The end of the last cycle.
    private var next: Int64 = 0
    /// The number of repeats of the position, and the place and time of the first one.
    private var repeats = 0
    private var firstPlace: Int64 = 0
    private var firstTime: UInt64 = 0

    /// The number of repeats after which the clock is taken to stand still. An app that was suspended for many cycles
    /// was given one position three times.
    private static var standstill: Int { @_noLocks get { 16 } }

    @_noLocks
    init() {}

    /// The place of a cycle.
    ///
    /// - Parameter time: the start of the cycle, in nanoseconds of CLOCK_MONOTONIC.
    @_noLocks
    mutating func place(
        clock: GraphClock, position: UInt64, frameCount: Int, sampleRate: Int, time: UInt64, isFreewheeling: Bool
    ) -> Int64 {
        let given = Int64(truncatingIfNeeded: position)
        let frames = Int64(truncatingIfNeeded: frameCount)
        let elapsed = Self.frames(from: self.time, to: time, sampleRate)
        // Positions may wrap, so only their distance counts.
        let step = given &- Int64(truncatingIfNeeded: self.position)
        if let last = self.clock {
            if last != clock || isImpossible(step, elapsed, sampleRate, isFreewheeling) {
                // A cycle of a freewheeling clock is longer than it took.
                offset = (wasFreewheeling ? next : place) &+ elapsed &- given
                repeats = 0
            } else if step == 0 {
                repeats = min(repeats + 1, Self.standstill)
                if repeats == Self.standstill { offset = standing(frames, sampleRate, time, isFreewheeling) &- given }
            } else {
                repeats = 0
            }
        }
        self.clock = clock
        self.position = position
        self.time = time
        wasFreewheeling = isFreewheeling
        place = given &+ offset
        next = place &+ frames
        if repeats == 0 {
            firstPlace = place
            firstTime = time
        }
        return place
    }

    /// Whether the step is impossible for a running clock.
    @_noLocks
    private func isImpossible(_ step: Int64, _ elapsed: Int64, _ sampleRate: Int, _ isFreewheeling: Bool) -> Bool {
        if step < 0 { return step < -Int64(AudioCycle.maximumFrameCount) }
        // `elapsed` is not negative, and bounded.
        return !isFreewheeling && step > elapsed &+ 60 &* Int64(truncatingIfNeeded: sampleRate)
    }

    /// The place of a cycle whose position is no use: directly after the last cycle, unless that is wrong by more than
    /// two cycles.
    @_noLocks
    private func standing(_ frames: Int64, _ sampleRate: Int, _ time: UInt64, _ isFreewheeling: Bool) -> Int64 {
        if isFreewheeling { return next }
        let measured = firstPlace &+ Self.frames(from: firstTime, to: time, sampleRate)
        return (measured &- next).magnitude > 2 &* frames.magnitude ? measured : next
    }

    /// Number of frames between two moments in nanoseconds; 0 if the second one is not later. Computed in two parts,
    /// which cannot overflow.
    @_noLocks
    private static func frames(from start: UInt64, to end: UInt64, _ sampleRate: Int) -> Int64 {
        // A driver that does not publish the start of its cycles leaves 0.
        guard start > 0, end > start else { return 0 }
        let passed = min(end - start, 1 << 56)
        let second: UInt64 = 1_000_000_000
        let rate = UInt64(truncatingIfNeeded: sampleRate)
        return Int64(truncatingIfNeeded: passed / second &* rate &+ (passed % second &* rate &+ second / 2) / second)
    }
}
