// SPDX-License-Identifier: MIT

/// One time for a whole recording, in frames, of the positions that the graph gives its cycles. These begin anew when
/// another device takes over the clock, and then the system's clock tells how long that took.
struct Timeline: Sendable {
    /// What is added to a position.
    private var offset: Int64 = 0
    /// Where the next cycle begins if none is missed, and when.
    private var next: Int64 = 0
    private var nextTime: UInt64 = 0
    private var hasBegun = false

    @_noLocks
    init() {}

    /// Where a cycle belongs.
    ///
    /// - Parameter time: the start of the cycle, in nanoseconds of the monotonic clock.
    @_noLocks
    mutating func place(position: UInt64, frameCount: Int, sampleRate: Int, time: UInt64) -> Int64 {
        let given = Int64(truncatingIfNeeded: position)
        if hasBegun {
            // While frames were missed or nothing was connected the same clock went on. More than an hour is another one, or
            // the system's clock tells as much.
            let jump = given &+ offset &- next
            if jump < 0 || jump > 3600 * Int64(sampleRate) {
                let passed = time > nextTime ? min(time - nextTime, 1 << 56) : 0
                offset = next &+ Self.frames(passed, sampleRate) &- given
            }
        }
        hasBegun = true
        let place = given &+ offset
        next = place &+ Int64(frameCount)
        nextTime = time &+ UInt64(truncatingIfNeeded: frameCount) &* 1_000_000_000 / UInt64(max(sampleRate, 1))
        return place
    }

    /// Frames in so many nanoseconds. In two parts, which cannot overflow.
    @_noLocks
    private static func frames(_ nanoseconds: UInt64, _ sampleRate: Int) -> Int64 {
        let second: UInt64 = 1_000_000_000
        let rate = UInt64(truncatingIfNeeded: sampleRate)
        let whole = nanoseconds / second &* rate
        return Int64(truncatingIfNeeded: whole &+ nanoseconds % second &* rate / second)
    }
}
