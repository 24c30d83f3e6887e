// SPDX-License-Identifier: MIT

/// The audio thread's state of one lane from cycle to cycle.
///
/// Values of every cycle come first and take little room: by the next cycle nothing is in the caches any more.
struct AudioLane {
    var line = DelayLine()
    /// In frames.
    var delay = 0
    /// The crossfade from one delay to another.
    var crossfade = Crossfade()

    // The sum of squares in the meters' window.
    var energy = 0.0
    var peak: Float = 0
    /// The number of the source's channels, while the lane is steady.
    var channelCount: Int32 = 0

    /// The delay that the lane changes to. Without a source it is the last one.
    var targetDelay = 0
    /// The start of the crossfade: the old delay, and the count of frames at which its source began.
    var oldDelay = 0
    var oldOrigin = 0
    /// Number of frames since the last one with input, or with the decay of input that was cut off.
    var framesWithoutInput = Int.max / 2
    /// Number of frames since the last one above ``ReceiverCore/silenceThreshold``. Counted only while the
    /// receiver holds more latency than it needs.
    var framesBelowThreshold = 0

    var sourceGeneration: UInt64 = 0
    /// Whether the source has given sound.
    var hasArrived = false
    /// Number of frames of the last cycles, in a row, in which the source gave nothing.
    var missingFrames = 0

    /// Whether the lane is silent while its sound is taken in, until it is exchanged for another one.
    var hold = HoldFade()

    @_noLocks
    init() {}

    /// More frames than any delay line holds.
    static var alwaysBelowThreshold: Int { @_noLocks get { 1 << 32 } }

    /// Starts a new source on the lane. The rest of the previous source's sound is faded out.
    @_noLocks
    mutating func beginSource() {
        if framesWithoutInput < delay {
            oldDelay = delay
            oldOrigin = line.origin
            crossfade.start()
        } else {
            crossfade.end()
        }
        delay = targetDelay
        line.forget()
        hasArrived = false
        framesBelowThreshold = Self.alwaysBelowThreshold
    }

    /// Takes the last frames back, because PipeWire gives them once more.
    @_noLocks
    mutating func goBack(by frameCount: Int) {
        line.rewind(by: frameCount)
        framesWithoutInput = max(framesWithoutInput - frameCount, 0)
        framesBelowThreshold = max(framesBelowThreshold - frameCount, 0)
    }

    @_noLocks
    mutating func changeDelay() {
        oldDelay = delay
        oldOrigin = line.origin
        delay = targetDelay
        crossfade.start()
    }
}
