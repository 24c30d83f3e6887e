// SPDX-License-Identifier: MIT
import RealtimeKit

/// The app's time: maps the positions of PipeWire's clocks to positions that never decrease.
///
/// While one clock counts, a mapped position is PipeWire's plus a constant. That constant is 0 for the first clock. Another
/// clock begins in these cases:
///
/// | case | example |
/// | --- | --- |
/// | PipeWire's clock id changes | another device drives the graph |
/// | the sample rate changes | a person sets it; PipeWire moves its position by less than a cycle |
/// | a session ends | the daemon was restarted; ids and positions may be those of before |
/// | the position decreases | a device was restarted, or another one has its id |
/// | the position and CLOCK_MONOTONIC disagree between two cycles | the driver stood still, and its position with it |
///
/// A new clock goes on after the last cycle, by the time that passed on CLOCK_MONOTONIC, in frames of its own rate. That time
/// is a little shorter than a cycle if the new driver starts early; then the clock begins at the last cycle's end. The difference is made up for when
/// the next clock begins, so a series of short clocks does not get ahead of the time.
///
/// A repeated position is the same time again: PipeWire gives a late app one cycle twice.
///
/// All nodes of an app that one thread processes share a timeline; see ``TimelineMemory``.
///
/// - Thread: audio; the control side between two sessions.
/// - Realtime: safe.
struct GraphTimeline {
    // PipeWire's values of the last cycle.
    private var position: UInt64 = 0
    /// The end of the last cycle.
    private var next: UInt64 = 0
    private var nanoseconds: UInt64 = 0
    /// PipeWire's clock id and the sample rate, of 32 bits each. Before the first cycle of a session it is a value that no
    /// cycle has.
    private var clockAndRate = noClock
    /// Whether the graph freewheeled in the last cycle that did not follow directly on another one.
    private var wasFreewheeling = false

    /// The number of the present clock; 0 before the first.
    private var number: UInt32 = 0
    /// The difference between the app's position and PipeWire's. It wraps.
    private var offset: UInt64 = 0
    /// The time by which the app's is ahead of CLOCK_MONOTONIC, in nanoseconds, as far as that comes from early clocks.
    private var lead: UInt64 = 0
    /// The sample rate of the present clock, in hertz.
    private var rate: UInt32 = 1
    private let numbers: Cell<ClockNumbers>

    private static var noClock: UInt64 { @_noLocks get { .max } }
    /// The longest time between two cycles, in nanoseconds, for which no disagreement is looked for.
    private static var steadyTime: UInt64 { @_noLocks get { 100_000_000 } }
    /// No position gets larger by a driver's fault, so no sum overflows within years.
    private static var limit: UInt64 { @_noLocks get { 1 << 62 } }

    init(numbers: Cell<ClockNumbers>) { self.numbers = numbers }

    /// The end of the last cycle, in the app's time.
    var end: UInt64 { @_noLocks get { next &+ offset } }

    /// Takes note of a cycle of 8192 frames at most.
    ///
    /// - Returns: its place in the app's time.
    @_noLocks
    @inline(__always)
    mutating func advance(to cycle: GraphCycle) -> GraphMoment {
        let position = cycle.position
        let nanoseconds = cycle.nanoseconds
        let frames = UInt64(truncatingIfNeeded: cycle.frames)
        if nanoseconds &- self.nanoseconds > Self.steadyTime || Self.clockAndRate(of: cycle) != clockAndRate
            || position != next && position != self.position
        {
            jump(to: cycle)
        }
        self.position = position
        next = position &+ frames
        self.nanoseconds = nanoseconds
        return GraphMoment(position: position &+ offset, clock: number)
    }

    /// Begins another clock with the next cycle, because the session ends.
    ///
    /// - Thread: control, while no node of the app runs.
    mutating func endSession() { clockAndRate = Self.noClock }

    @_noLocks
    @inline(__always)
    private static func clockAndRate(of cycle: GraphCycle) -> UInt64 {
        UInt64(truncatingIfNeeded: cycle.rate) &<< 32 | UInt64(truncatingIfNeeded: cycle.clock)
    }

    /// Begins another clock if the cycle is not one of the present clock.
    @_noLocks
    @inline(never)
    private mutating func jump(to cycle: GraphCycle) {
        defer { wasFreewheeling = cycle.isFreewheeling }
        guard !isContinued(by: cycle) else { return }
        let start =
            if number == 0 { cycle.position < Self.limit ? cycle.position : 0 } else { startOfClock(with: cycle) }
        offset = start &- cycle.position
        clockAndRate = Self.clockAndRate(of: cycle)
        rate = max(cycle.rate, 1)
        number = numbers.value.next()
    }

    @_noLocks
    private func isContinued(by cycle: GraphCycle) -> Bool {
        let step = Int64(truncatingIfNeeded: cycle.position &- position)
        guard Self.clockAndRate(of: cycle) == clockAndRate, step >= 0, step < 1 << 40,
            cycle.position &+ offset < Self.limit
        else { return false }
        if cycle.isFreewheeling || wasFreewheeling { return true }
        // A driver that does not publish the start of its cycles leaves 0.
        guard nanoseconds > 0, cycle.nanoseconds > 0 else { return true }
        let passed = Self.frames(from: nanoseconds, to: cycle.nanoseconds, cycle.rate)
        // 100 ms, two cycles, or a thousandth of the time: device clocks are better than that.
        let frames = max(Int64(truncatingIfNeeded: next &- position), Int64(truncatingIfNeeded: cycle.frames))
        let tolerance = max(Int64(truncatingIfNeeded: cycle.rate / 10), max(2 &* frames, passed / 1000))
        return (passed &- step).magnitude <= tolerance.magnitude
    }

    /// The position at which a new clock begins.
    @_noLocks
    private mutating func startOfClock(with cycle: GraphCycle) -> UInt64 {
        let end = Int64(truncatingIfNeeded: self.end)
        let length = (next &- position) &* 1_000_000_000 / UInt64(truncatingIfNeeded: rate)
        let endTime = nanoseconds &+ length
        let passed = Self.frames(from: endTime, to: cycle.nanoseconds, cycle.rate)
        // The driver's times are wrong, or those of a freewheeling one, which may be ahead of CLOCK_MONOTONIC.
        guard nanoseconds > 0, cycle.nanoseconds > 0, passed >= -2 &* Int64(truncatingIfNeeded: cycle.rate) else {
            lead = 0
            return UInt64(truncatingIfNeeded: end)
        }
        let measured = end &+ Self.frames(from: endTime &+ lead, to: cycle.nanoseconds, cycle.rate)
        // While the graph freewheels it is ahead of the time on purpose.
        lead = wasFreewheeling || measured >= end ? 0 : endTime &+ lead &- cycle.nanoseconds
        return UInt64(truncatingIfNeeded: max(end, min(measured, Int64(truncatingIfNeeded: Self.limit))))
    }

    /// Number of frames between two moments in nanoseconds. Computed in two parts, which cannot overflow.
    @_noLocks
    private static func frames(from start: UInt64, to end: UInt64, _ rate: UInt32) -> Int64 {
        let passed = min(end > start ? end &- start : start &- end, 1 << 56)
        let second: UInt64 = 1_000_000_000
        let rate = UInt64(truncatingIfNeeded: rate)
        let frames = passed / second &* rate &+ (passed % second &* rate &+ second / 2) / second
        return end > start ? Int64(truncatingIfNeeded: frames) : 0 &- Int64(truncatingIfNeeded: frames)
    }
}
