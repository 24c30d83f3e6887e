// SPDX-License-Identifier: MIT

/// What a ``SumProbe`` has heard.
package struct SumReport: Codable, Sendable, Hashable {
    /// How many times counting started again.
    package var resets: UInt64 = 0
    package var cycles: UInt64 = 0
    /// By how much each sample is more than the last one, in quarters of a count; −2 before any two frames agreed.
    package var slope: Int32 = -2
    /// Frames since the last that did not go on with the slope.
    package var steadyFrames: UInt64 = 0
    /// Breaks in the sound.
    package var breaks: UInt64 = 0
    /// Beginnings of sound after silence.
    package var onsets: UInt64 = 0
    package var missedFrames: UInt64 = 0
    /// Length of the last cycle.
    package var frameCount = 0
    package var sampleRate = 0
    /// The last breaks, in no order.
    package var lastBreaks: [SumBreak] = []

    // In nanoseconds of the graph's clock, which all processes share.

    /// Start of the last cycle.
    package var lastStart: UInt64 = 0
    /// The cycles with a break.
    package var broken: [FrameRange] = []
    /// What `AudioCycle` marked: the time from the start of the last cycle to the end of the one that does not continue it.
    package var marks: [FrameRange] = []

    package init() {}

    /// Whether the breaks in some cycles are those of a source whose cycle came too early or too late: the sound steps by
    /// whole cycles, at the beginning of a cycle, and is where it was at the end.
    package func hasUntimelyCycle(in range: FrameRange) -> Bool {
        guard frameCount > 0 else { return false }
        var (count, sum): (Int, Int32) = (0, 0)
        for found in lastBreaks where (range.start..<range.end).contains(found.cycle) {
            let step = SumProbe.difference(from: found.before + slope, to: found.after)
            guard found.frame == 0, found.before >= 0, found.after >= 0, step % Int32(frameCount) == 0 else {
                return false
            }
            count += 1
            sum += step
        }
        return count > 1 && sum == 0
    }
}
