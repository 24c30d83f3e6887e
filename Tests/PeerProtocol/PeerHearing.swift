// SPDX-License-Identifier: MIT

/// The sound of one source of a receiver of separate streams. Its frames are numbered by the source.
///
/// Times are those of the process block, in nanoseconds by CLOCK_MONOTONIC.
package struct PeerHearing: Codable, Sendable, Hashable {
    /// The first cycle of the sound that goes on without a pause until `last`.
    package var began: UInt64 = 0
    package var last: UInt64 = 0
    /// The longest time between two cycles with sound, less a cycle.
    package var longestPause: UInt64 = 0
    /// Frames that follow the last one by their number.
    package var right: UInt64 = 0
    /// Frames that were left out, by the number of the next one.
    package var missing: UInt64 = 0
    /// Frames that were heard before.
    package var repeated: UInt64 = 0
    /// Frames that are neither sound of this source nor silence.
    package var wrong: UInt64 = 0
    /// Those of the last three, and silent frames after sound, in cycles that `AudioCycle` does not mark, nor the next one.
    package var unmarked: UInt64 = 0
    /// Frames of wholly silent cycles between two with sound, of which none is marked: the source was too late for them. It knows
    /// that itself; its receiver cannot.
    package var silent: UInt64 = 0

    package init() {}
}

/// The cycles of such a receiver.
package struct PeerCycles: Codable, Sendable, Hashable {
    package var cycles: UInt64 = 0
    package var missedFrames: UInt64 = 0
    /// How often a position was less than that of the cycle before.
    package var stepsBack: UInt64 = 0
    package var clocks: UInt64 = 0
    package var shortestCycle = 0
    package var longestCycle = 0
    package var lastCycle = 0
    package var sampleRate = 0
    package var sampleRates: Set<Int> = []
    /// By the source's tag.
    package var hearings: [UInt64: PeerHearing] = [:]

    package init() {}
}
