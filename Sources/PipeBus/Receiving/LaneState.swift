// SPDX-License-Identifier: MIT
import CAudioKernels

/// What the audio thread keeps of one lane from cycle to cycle. What every cycle needs comes first and is little: by the
/// next cycle nothing is in the caches any more.
@unsafe struct LaneState {
    /// The lane's ``LaneSettings/history``, while the lane is steady.
    var history: UnsafeMutablePointer<Float>?
    var channelCount = 0

    // Of the meters' window.
    var peak: Float = 0
    var energy = 0.0

    // The delay line, by the count of all frames that ever went into it.

    /// Frames that went in.
    var written = 0
    /// The first of the present source; before it there is silence.
    var origin = 0
    var delay = 0
    /// The delay that it is to have, or had last when its source was linked.
    var wantedDelay = 0
    /// While one delay is faded into another: the old one, where its source began, and how far the fade has come.
    var oldDelay = 0
    var oldOrigin = 0
    var crossfade = Int.max
    /// Frames that went in since the last that may have been sound.
    var silentFrames = Int.max / 2
    /// Frames that went in since the last that was louder than ``ReceiverCore/silenceThreshold``. Counted only while the
    /// receiver holds more latency than it needs.
    var quietFrames = 0

    var occupancy: UInt64 = 0

    @_noLocks
    init() {}
}

/// The gains of one lane in the mix. They move only when a level is changed.
@unsafe struct LaneGains {
    var left = unsafe GainRamp()
    var right = unsafe GainRamp()

    @_noLocks
    init() {}
}

/// A gain on its way from one value to another, in a straight line.
@unsafe struct GainRamp {
    private var start: Float = 1
    private(set) var end: Float = 1
    private var position = 0
    private var length = 0

    @_noLocks
    init() {}

    /// Begins anew from a value.
    @_noLocks
    @inline(__always)
    mutating func jump(to gain: Float) {
        unsafe start = gain
        unsafe end = gain
        unsafe length = 0
    }

    /// Goes on from where it is to another value, if it is another.
    @_noLocks
    @inline(__always)
    mutating func head(for gain: Float, length newLength: Int) {
        if unsafe gain == end { return }
        unsafe start = value
        unsafe end = gain
        unsafe position = 0
        unsafe length = newLength
    }

    /// Its value at the coming frame, as the mix computes it.
    private var value: Float {
        @_noLocks @inline(__always) get {
            if unsafe length == 0 { return unsafe end }
            let rest = unsafe Float(length - position)
            return unsafe (start * rest + end * Float(position)) / Float(length)
        }
    }

    var isSilent: Bool {
        @_noLocks @inline(__always) get { unsafe length == 0 && end == 0 }
    }

    var isAtRest: Bool {
        @_noLocks @inline(__always) get { unsafe length == 0 }
    }

    /// One input of the mix.
    @_noLocks
    @inline(__always)
    func input(_ samples: UnsafePointer<Float>) -> cak_input {
        unsafe cak_input(
            samples: samples, start: start, end: end, position: UInt32(truncatingIfNeeded: position),
            length: UInt32(truncatingIfNeeded: length))
    }

    @_noLocks
    @inline(__always)
    mutating func advance(by frameCount: Int) {
        if unsafe length == 0 { return }
        unsafe position += frameCount
        if unsafe position >= length { unsafe jump(to: end) }
    }
}
