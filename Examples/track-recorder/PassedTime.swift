// SPDX-License-Identifier: MIT

/// The place in the graph's time that a recording has reached. While nothing is connected no cycle says so, and the time is that
/// of the computer.
struct PassedTime {
    private var end: Int64 = .min
    private var since = SuspendingClock.now

    /// - Parameters:
    ///   - end: the end of the newest frame.
    ///   - sampleRate: in hertz.
    mutating func place(
        after end: Int64, isConnected: Bool, sampleRate: Int, at now: SuspendingClock.Instant = .now
    ) -> Int64 {
        if isConnected || end != self.end {
            self.end = end
            since = now
        }
        return end &+ Int64(since.duration(to: now) / .seconds(1) * Double(sampleRate))
    }
}
