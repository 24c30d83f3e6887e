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

    /// Whether the breaks in two cycles are those of a source that was missing for the length of one cycle, or whose sound was
    /// that of another cycle: afterwards the sound is where it would have been.
    package func hasUntimelyCycle(in range: FrameRange) -> Bool {
        let found = lastBreaks.filter { (range.start..<range.end).contains($0.cycle) }
            .sorted { ($0.cycle, $0.frame) < ($1.cycle, $1.frame) }
        guard let first = found.first, first.before >= 0,
            let back = found.first(where: { $0.cycle > first.cycle && $0.frame == first.frame }), back.after >= 0,
            (range.end - range.start) * UInt64(sampleRate) < UInt64(frameCount) * 5 / 2 * 1_000_000_000
        else { return false }
        // The next frame shows that the source's own slope is missing or back.
        guard found.allSatisfy({ $0.frame == first.frame || $0.frame == first.frame + 1 }) else { return false }
        let expected = first.before &+ slope &* Int32(frameCount + 1)
        return SumProbe.difference(from: expected, to: back.after) == 0
    }
}
