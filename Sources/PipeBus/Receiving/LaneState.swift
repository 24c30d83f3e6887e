// SPDX-License-Identifier: MIT

/// What the audio thread keeps of one lane from cycle to cycle. What every cycle needs comes first and is little: by the
/// next cycle nothing is in the caches any more.
struct LaneState {
    var line = DelayLine()
    /// In frames.
    var delay = 0
    /// While one delay is faded into another.
    var crossfade = Crossfade()

    // Of the meters' window.
    var energy = 0.0
    var peak: Float = 0
    /// The source's channels, while the lane is steady.
    var channelCount: Int32 = 0

    /// The delay that it is to have, or had last when its source was linked.
    var wantedDelay = 0
    /// Where the crossfade comes from: the old delay, and the count of frames at which its source began.
    var oldDelay = 0
    var oldOrigin = 0
    /// Frames that went in since the last that may have been sound.
    var silentFrames = Int.max / 2
    /// Frames that went in since the last that was louder than ``ReceiverCore/silenceThreshold``. Counted only while the
    /// receiver holds more latency than it needs.
    var quietFrames = 0

    var sourceGeneration: UInt64 = 0

    @_noLocks
    init() {}

    /// More frames than any delay line holds.
    static var allQuiet: Int { @_noLocks get { 1 << 32 } }

    /// The past belongs to another source from here on. What of it is still to be heard is faded out.
    @_noLocks
    mutating func beginSource() {
        if silentFrames < delay {
            oldDelay = delay
            oldOrigin = line.origin
            crossfade.start()
        } else {
            crossfade.end()
        }
        delay = wantedDelay
        line.forget()
        quietFrames = Self.allQuiet
    }

    @_noLocks
    mutating func changeDelay() {
        oldDelay = delay
        oldOrigin = line.origin
        delay = wantedDelay
        crossfade.start()
    }
}
