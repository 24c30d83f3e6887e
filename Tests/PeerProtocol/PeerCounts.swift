// SPDX-License-Identifier: MIT

/// The counts of a port of a `bus-peer`. Plain numbers only, since the audio thread writes them.
package struct PeerCounts: Codable, Sendable, Hashable {
    /// How many times counting started again.
    package var recounts: UInt64 = 0
    package var cycles: UInt64 = 0
    package var frames: UInt64 = 0
    /// Position of the first frame that the block was called for, and of the one after the last.
    package var firstPosition: UInt64 = 0
    package var endPosition: UInt64 = 0
    package var shortestCycle = 0
    package var longestCycle = 0
    package var sampleRate = 0
    package var wasFreewheeling = false
    /// The values of `AudioCycle`.
    package var missedFrames: UInt64 = 0
    package var discontinuities: UInt64 = 0

    // Of ports that check their input; each frame is one of these.

    /// Silent frames before the signal began.
    package var leadingSilence: UInt64 = 0
    /// Frames after those in which some channels were right already and the others still silent: links of one connection
    /// do not begin in the same cycle when the graph runs.
    package var leadingPart: UInt64 = 0
    package var correct: UInt64 = 0
    package var wrong: UInt64 = 0

    // Of ports that check by frames of their own:

    /// Frames that were left out, by the signal's count.
    package var missing: UInt64 = 0
    /// Frames that the signal went back by.
    package var repeated: UInt64 = 0

    /// Channel 0 of the first frame that was not silent, and of the last.
    package var first: Float = 0
    package var last: Float = 0
    /// The first fault, for the message of a failed test.
    package var faultPosition: UInt64 = 0
    package var faultChannel = 0
    package var faultSample: Float = 0
    package var faultExpected: Float = 0

    @_noLocks
    package init() {}
}
