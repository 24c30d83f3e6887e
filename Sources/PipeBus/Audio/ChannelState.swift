// SPDX-License-Identifier: MIT
import CAudioKernels

/// What the audio thread keeps of one channel that it is given: where its fades stand.
@unsafe struct ChannelState {
    /// How far the sound is faded in, 0 to the length of a fade.
    var fade = 0
    /// What the last sound left when it was cut off, and how far that has died away.
    var tail: Float = 0
    var tailPosition = Int.max

    @_noLocks
    init() {}

    /// What comes in, faded: in where sound begins, out where it is leaving, and dying away where it was cut off. Rare,
    /// and kept out of the code that runs in every cycle.
    ///
    /// - Parameters:
    ///   - buffer: `nil` where nothing comes.
    ///   - last: the last sample of the cycle before, and after the call that of this one.
    ///   - place: for the result; `spare` is for what is on its way there.
    /// - Returns: `place` or `silence`.
    @_noLocks
    @inline(never)
    mutating func pass(
        _ buffer: UnsafeMutablePointer<Float>?, isLeaving: Bool, last: UnsafeMutablePointer<Float>,
        place: UnsafeMutablePointer<Float>, spare: UnsafeMutablePointer<Float>, silence: UnsafeMutablePointer<Float>,
        _ frameCount: Int, _ fadeLength: Int
    ) -> UnsafeMutablePointer<Float> {
        let frames = UInt32(truncatingIfNeeded: frameCount)
        let length = UInt32(truncatingIfNeeded: fadeLength)
        var result = unsafe silence
        if let buffer = unsafe buffer, !isLeaving || fadeLength == 0 {
            unsafe cak_fade_in(place, buffer, frames, UInt32(truncatingIfNeeded: fade), length)
            unsafe fade = unsafe min(fade + frameCount, fadeLength)
            unsafe result = unsafe place
        } else if let buffer = unsafe buffer, unsafe fade > 0 {
            // From wherever it was: the curve is symmetrical.
            let position = unsafe fadeLength - fade
            unsafe cak_fade_out(place, buffer, frames, UInt32(truncatingIfNeeded: position), length)
            unsafe fade = unsafe max(fade - frameCount, 0)
            unsafe result = unsafe place
        } else if unsafe buffer == nil {
            unsafe cut(last: last.pointee)
        }
        if unsafe tailPosition < fadeLength {
            let position = unsafe UInt32(truncatingIfNeeded: tailPosition)
            if unsafe result == silence {
                unsafe cak_decay(place, tail, frames, position, length)
                unsafe result = unsafe place
            } else {
                unsafe cak_decay(spare, tail, frames, position, length)
                for frame in 0..<frameCount { unsafe place[frame] += spare[frame] }
            }
            unsafe tailPosition += frameCount
        }
        unsafe last.pointee = unsafe result[frameCount - 1]
        return unsafe result
    }

    /// The sound stops here; what it was last is to die away.
    @_noLocks
    mutating func cut(last: Float) {
        if unsafe fade > 0 {
            // What is no number would not die away.
            unsafe tail = last.isFinite ? last : 0
            unsafe tailPosition = 0
        }
        unsafe fade = 0
    }
}
