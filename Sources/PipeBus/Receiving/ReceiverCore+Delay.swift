// SPDX-License-Identifier: MIT
import RealtimeKit

/// Delays: a lane's delay line stores its input, and gives the input of some frames ago.
extension ReceiverCore {
    /// The largest gap of missed frames (an xrun) that is filled with silence. After a longer one the delay line is
    /// reset.
    static var longestFilling: Int { @_noLocks get { 8192 } }

    /// Runs before the channels of a lane.
    @_noLocks
    @inline(__always)
    mutating func prepareDelay(_ state: Cell<AudioLane>, _ skippedFrames: Int) {
        if skippedFrames != 0 { skip(skippedFrames, state) }
        if state.value.targetDelay != state.value.delay, !state.value.crossfade.isRunning(length: crossfadeLength) {
            state.value.changeDelay()
        }
    }

    @_noLocks
    @inline(never)
    private mutating func skip(_ skippedFrames: Int, _ state: Cell<AudioLane>) {
        if skippedFrames < 0 {
            state.value.goBack(by: min(-skippedFrames, Self.longestFilling))
        } else if skippedFrames <= Self.longestFilling {
            state.value.line.skip(silence.prefix(skippedFrames), channels: width)
        } else {
            state.value.line.forget()
            state.value.crossfade.end()
        }
    }

    /// Stores a block, and gives the delayed one.
    @_noLocks
    @inline(__always)
    mutating func delay(_ state: Cell<AudioLane>, _ lane: Int, _ channel: Int, _ block: SampleBlock) -> SampleBlock {
        if state.value.delay == 0 && !state.value.crossfade.isRunning(length: crossfadeLength) {
            // The stored sound is read only after a slower source has come.
            state.value.line.storeUncached(block, channel)
            return block
        }
        return passThrough(state, lane, channel, block)
    }

    /// Stores and reads a block where there is a delay. Kept out of the code of lanes without one.
    @_noLocks
    @inline(never)
    private mutating func passThrough(
        _ state: Cell<AudioLane>, _ lane: Int, _ channel: Int, _ block: SampleBlock
    ) -> SampleBlock {
        state.value.line.write(block, channel)
        let place = scratch.block(lane * width + channel, block.frameCount)
        state.value.line.read(into: place, channel, delay: state.value.delay, origin: state.value.line.origin)
        if state.value.crossfade.isRunning(length: crossfadeLength) {
            let old = spare(block.frameCount)
            state.value.line.read(into: old, channel, delay: state.value.oldDelay, origin: state.value.oldOrigin)
            state.value.crossfade.mix(from: old, to: place, into: place, length: crossfadeLength)
        }
        return place
    }

    /// Runs after the channels of a lane.
    @_noLocks
    @inline(__always)
    mutating func endDelay(_ state: Cell<AudioLane>, isAudible: Bool, frameCount: Int) {
        state.value.line.advance(by: frameCount)
        state.value.crossfade.advance(by: frameCount, length: crossfadeLength)
        state.value.framesWithoutInput = isAudible ? 0 : min(state.value.framesWithoutInput, Int.max / 2) + frameCount
    }
}
