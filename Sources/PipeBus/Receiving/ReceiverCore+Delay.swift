// SPDX-License-Identifier: MIT
import RealtimeKit

/// Delays: a lane's line takes in what comes, and gives what came so many frames ago.
extension ReceiverCore {
    /// Frames that were missed and are filled with silence; after more the past is forgotten.
    private static var longestFilling: Int { @_noLocks get { 8192 } }

    /// Before the channels of a lane go through.
    @_noLocks
    @inline(__always)
    mutating func prepareDelay(_ state: Cell<LaneState>, missedFrames: Int) {
        if missedFrames > 0 { skip(missedFrames, state) }
        if state.value.wantedDelay != state.value.delay, !state.value.crossfade.isRunning(length: crossfadeLength) {
            state.value.changeDelay()
        }
    }

    @_noLocks
    @inline(never)
    private mutating func skip(_ missedFrames: Int, _ state: Cell<LaneState>) {
        if missedFrames <= Self.longestFilling {
            state.value.line.skip(silence.prefix(missedFrames), channels: width)
        } else {
            state.value.line.forget()
            state.value.crossfade.end()
        }
    }

    /// Takes a block in and gives the one that is due.
    @_noLocks
    @inline(__always)
    mutating func delay(_ state: Cell<LaneState>, _ lane: Int, _ channel: Int, _ block: SampleBlock) -> SampleBlock {
        if state.value.delay == 0 && !state.value.crossfade.isRunning(length: crossfadeLength) {
            // It is read only if a slower source comes.
            state.value.line.putAway(block, channel)
            return block
        }
        return passThrough(state, lane, channel, block)
    }

    /// The same where there is a delay. Kept out of the code of lanes that have none.
    @_noLocks
    @inline(never)
    private mutating func passThrough(
        _ state: Cell<LaneState>, _ lane: Int, _ channel: Int, _ block: SampleBlock
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

    /// After the channels of a lane have gone through.
    @_noLocks
    @inline(__always)
    mutating func endDelay(_ state: Cell<LaneState>, isAudible: Bool, frameCount: Int) {
        state.value.line.advance(by: frameCount)
        state.value.crossfade.advance(by: frameCount, length: crossfadeLength)
        state.value.silentFrames = isAudible ? 0 : min(state.value.silentFrames, Int.max / 2) + frameCount
    }
}
