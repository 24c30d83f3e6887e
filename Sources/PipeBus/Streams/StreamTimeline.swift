// SPDX-License-Identifier: MIT

/// The time of a stream, in frames: the app's time, `AudioCycle.position`.
///
/// That time goes on through changes of the clock, and while the graph stands still. It stands still itself under a driver
/// that does not count, whose every cycle has one position. After some repeats, cycles are then placed one behind the other,
/// where CLOCK_MONOTONIC agrees.
struct StreamTimeline: Sendable {
    /// The difference between the stream's time and the app's.
    private var offset: Int64 = 0
    /// The position of the last cycle; `nil` before the first.
    private var position: UInt64?
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
        position: UInt64, frameCount: Int, sampleRate: Int, time: UInt64, isFreewheeling: Bool
    ) -> Int64 {
        let given = Int64(truncatingIfNeeded: position)
        let frames = Int64(truncatingIfNeeded: frameCount)
        repeats = position == self.position ? min(repeats + 1, Self.standstill) : 0
        if repeats == Self.standstill { offset = standing(frames, sampleRate, time, isFreewheeling) &- given }
        self.position = position
        let place = given &+ offset
        next = place &+ frames
        if repeats == 0 {
            firstPlace = place
            firstTime = time
        }
        return place
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
