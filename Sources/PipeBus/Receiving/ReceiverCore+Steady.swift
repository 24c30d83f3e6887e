// SPDX-License-Identifier: MIT
import RealtimeKit

/// The short path through a cycle, for lanes on which nothing changes. The result is that of the long one; it leaves
/// out what would be found as it was. What counts is how much memory is looked at, because by the time of the next cycle
/// none of it is in the caches.
extension ReceiverCore {
    /// Takes a steady lane through a cycle.
    ///
    /// - Returns: false if its sound does not come, with nothing done: then it takes the long path.
    @_noLocks
    @inline(__always)
    mutating func pass(_ lane: Int, _ inputs: CycleBuffers, _ frameCount: Int) -> Bool {
        let state = lanes.cell(lane)
        let first = lane &* width
        for channel in first..<first &+ width {
            guard let block = inputs[channel] else { return false }
            blocks.set(channel, to: block)
            lastSamples[channel] = block.last
        }
        if state.value.line.memory != nil {
            for channel in 0..<width {
                let index = first &+ channel
                blocks.set(index, to: delay(state, lane, channel, blocks.block(index, frameCount)))
            }
            state.value.line.advance(by: frameCount)
        }
        measure(lane, channelCount: Int(truncatingIfNeeded: state.value.channelCount), frameCount: frameCount)
        return true
    }

    /// After lanes have taken the long path: which of them can take the short one the next time.
    @_noLocks
    @inline(never)
    mutating func findSteadyLanes(among present: LaneSet) {
        for lane in present where isAtRest(lane) {
            lanes[lane].channelCount = Int32(truncatingIfNeeded: settings[lane].channelCount)
            steadyLanes.insert(lane)
        }
    }

    /// Nothing of a lane is on its way to something else.
    @_noLocks
    private func isAtRest(_ lane: Int) -> Bool {
        guard settings[lane].isLinked, !settings[lane].isLeaving else { return false }
        let state = lanes.cell(lane)
        if settings[lane].history != nil {
            guard !state.value.crossfade.isRunning(length: crossfadeLength),
                state.value.delay == state.value.wantedDelay, state.value.silentFrames == 0
            else { return false }
        }
        for channel in lane * width..<(lane + 1) * width {
            guard !blocks.isSame(channel, as: silence), channels[channel].isWhole(fadeLength: fadeLength)
            else { return false }
        }
        return true
    }
}
