// SPDX-License-Identifier: MIT
import CAudioKernels
import CRealtime

/// Delay lines. A lane's history holds what came in, by the count of all frames; what goes on is read so many frames
/// behind. It holds missed frames as silence, so it keeps the clock's time.
extension ReceiverCore {
    /// Frames that were missed and are filled with silence; after more the past is forgotten.
    private static var longestFilling: Int { @_noLocks get { 8192 } }

    /// Before the channels of a lane go through.
    @_noLocks
    @inline(__always)
    mutating func prepareDelay(_ lane: Int, _ settings: UnsafePointer<LaneSettings>, missedFrames: Int) {
        let state = unsafe lanes + lane
        if missedFrames > 0 { unsafe skip(missedFrames, lane, settings) }
        if unsafe state.pointee.wantedDelay != state.pointee.delay, unsafe state.pointee.crossfade >= crossfadeLength {
            unsafe state.pointee.changeDelay()
        }
    }

    @_noLocks
    @inline(never)
    private mutating func skip(_ missedFrames: Int, _ lane: Int, _ settings: UnsafePointer<LaneSettings>) {
        let state = unsafe lanes + lane
        let history = unsafe settings.pointee.history.unsafelyUnwrapped
        if unsafe missedFrames <= Self.longestFilling {
            for channel in unsafe 0..<width {
                unsafe write(silence, to: history + channel * historyLength, at: state.pointee.written, missedFrames)
            }
            unsafe state.pointee.written += missedFrames
        } else {
            unsafe state.pointee.origin = unsafe state.pointee.written
            unsafe state.pointee.crossfade = Int.max
        }
    }

    /// Takes a block in and gives the one that is due.
    ///
    /// - Parameter history: the lane's.
    @_noLocks
    @inline(__always)
    mutating func delay(
        _ lane: Int, _ channel: Int, _ history: UnsafeMutablePointer<Float>, _ block: UnsafeMutablePointer<Float>,
        _ frameCount: Int
    ) -> UnsafeMutablePointer<Float> {
        let state = unsafe lanes + lane
        let history = unsafe history + channel * historyLength
        let isFading = unsafe state.pointee.crossfade < crossfadeLength
        if unsafe state.pointee.delay == 0 && !isFading {
            // It is read only if a slower source comes.
            unsafe putAway(block, to: history, at: state.pointee.written, frameCount)
            return unsafe block
        }
        unsafe write(block, to: history, at: state.pointee.written, frameCount)
        let place = unsafe scratch + (lane * width + channel) * AudioCycle.maximumFrameCount
        unsafe read(history, state.pointee.written - state.pointee.delay, state.pointee.origin, into: place, frameCount)
        if isFading {
            unsafe read(
                history, state.pointee.written - state.pointee.oldDelay, state.pointee.oldOrigin, into: spare,
                frameCount)
            unsafe cak_crossfade(
                place, spare, place, UInt32(truncatingIfNeeded: frameCount),
                UInt32(truncatingIfNeeded: state.pointee.crossfade), UInt32(truncatingIfNeeded: crossfadeLength))
        }
        return unsafe place
    }

    /// After the channels of a lane have gone through.
    @_noLocks
    @inline(__always)
    mutating func endDelay(_ lane: Int, isAudible: Bool, frameCount: Int) {
        let state = unsafe lanes + lane
        unsafe state.pointee.written += frameCount
        if unsafe state.pointee.crossfade < crossfadeLength { unsafe state.pointee.crossfade += frameCount }
        unsafe state.pointee.silentFrames =
            unsafe isAudible ? 0 : min(state.pointee.silentFrames, Int.max / 2) + frameCount
    }

    @_noLocks
    @inline(__always)
    private func write(
        _ block: UnsafeMutablePointer<Float>, to history: UnsafeMutablePointer<Float>, at count: Int, _ frameCount: Int
    ) {
        let start = unsafe count & (historyLength - 1)
        let first = unsafe min(frameCount, historyLength - start)
        unsafe cak_copy(history + start, block, UInt32(truncatingIfNeeded: first))
        if first < frameCount {
            unsafe cak_copy(history, block + first, UInt32(truncatingIfNeeded: frameCount - first))
        }
    }

    /// The same past the caches.
    @_noLocks
    @inline(__always)
    private func putAway(
        _ block: UnsafeMutablePointer<Float>, to history: UnsafeMutablePointer<Float>, at count: Int, _ frameCount: Int
    ) {
        let start = unsafe count & (historyLength - 1)
        let first = unsafe min(frameCount, historyLength - start)
        unsafe cak_put_away(history + start, block, UInt32(truncatingIfNeeded: first))
        if first < frameCount {
            unsafe cak_put_away(history, block + first, UInt32(truncatingIfNeeded: frameCount - first))
        }
    }

    /// Reads from a count on; what is before the origin is silent.
    @_noLocks
    @inline(__always)
    private func read(
        _ history: UnsafeMutablePointer<Float>, _ count: Int, _ origin: Int,
        into block: UnsafeMutablePointer<Float>, _ frameCount: Int
    ) {
        let silent = count < origin ? min(origin - count, frameCount) : 0
        unsafe crt_clear(block, UInt64(truncatingIfNeeded: silent))
        let rest = frameCount - silent
        let start = unsafe (count + silent) & (historyLength - 1)
        let first = unsafe min(rest, historyLength - start)
        unsafe cak_copy(block + silent, history + start, UInt32(truncatingIfNeeded: first))
        if first < rest {
            unsafe cak_copy(block + silent + first, history, UInt32(truncatingIfNeeded: rest - first))
        }
    }
}

extension LaneState {
    /// The past belongs to another source from here on. What of it is still to be heard is faded out.
    @_noLocks
    mutating func beginSource() {
        if unsafe silentFrames < delay {
            unsafe oldDelay = delay
            unsafe oldOrigin = origin
            unsafe crossfade = 0
        } else {
            unsafe crossfade = Int.max
        }
        unsafe delay = unsafe wantedDelay
        unsafe origin = written
        unsafe quietFrames = Self.allQuiet
    }

    /// More frames than any delay line holds.
    static var allQuiet: Int { @_noLocks get { 1 << 32 } }

    @_noLocks
    mutating func changeDelay() {
        unsafe oldDelay = delay
        unsafe oldOrigin = origin
        unsafe delay = unsafe wantedDelay
        unsafe crossfade = 0
    }
}
