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
    /// The last breaks, in no order. Where there were more, the first ones are not here.
    package var lastBreaks: [SumBreak] = []
    /// The last onsets, in no order.
    package var lastOnsets: [SumBreak] = []

    // In nanoseconds of the graph's clock, which all processes share.

    /// Start of the last cycle.
    package var lastStart: UInt64 = 0
    /// The cycles with a break.
    package var broken: [FrameRange] = []
    /// What `AudioCycle` marked: the time from the start of the last cycle to the end of the one that does not continue it.
    package var marks: [FrameRange] = []

    package init() {}

    /// The times for which a source was missing, or its sound was that of other cycles: for whole cycles, and afterwards the
    /// sound is where it would have been.
    package var untimelyCycles: [FrameRange] {
        guard frameCount > 0, sampleRate > 0 else { return [] }
        let cycle = UInt64(frameCount) * 1_000_000_000 / UInt64(sampleRate)
        var found: [FrameRange] = []
        let breaks = lastBreaks.sorted { ($0.cycle, $0.frame) < ($1.cycle, $1.frame) }
        // Where it was the only source, its sound begins anew.
        let ends = (lastBreaks + lastOnsets).sorted { ($0.cycle, $0.frame) < ($1.cycle, $1.frame) }
        for first in breaks where first.before >= 0 {
            let back = ends.first { later in
                guard later.cycle > first.cycle else { return false }
                let cycles = (later.cycle - first.cycle + cycle / 2) / cycle
                guard (1...8).contains(cycles), later.frame == first.frame, later.after >= 0 else { return false }
                let expected = first.before &+ slope &* Int32(Int(cycles) * frameCount + 1)
                return SumProbe.difference(from: expected, to: later.after) == 0
            }
            if let back { found.append(FrameRange(start: first.cycle, end: back.cycle + cycle)) }
        }
        return found
    }
}
