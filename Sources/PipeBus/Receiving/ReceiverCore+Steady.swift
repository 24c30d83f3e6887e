// SPDX-License-Identifier: MIT
import RealtimeKit

/// The short path through a cycle, for lanes on which nothing changes.
///
/// Its result is equal to the long path's; work without an effect is left out. Its cost is the memory that it reads,
/// because by the next cycle none of it is in the caches.
extension ReceiverCore {
    /// Processes a steady lane.
    ///
    /// - Returns: false if its sound does not come. Then the lane is unchanged and takes the long path.
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

    /// Decides after the long path which lanes are steady in the next cycle.
    @_noLocks
    @inline(never)
    mutating func findSteadyLanes(among present: LaneSet) {
        for lane in present where isAtRest(lane) {
            // By its cell: of `lanes[lane].crossfade.end()` Swift 6.3 makes invalid code for ThreadSanitizer.
            let state = lanes.cell(lane)
            state.value.channelCount = Int32(truncatingIfNeeded: settings[lane].channelCount)
            // It advances no more on the way of steady lanes.
            state.value.crossfade.end()
            steadyLanes.insert(lane)
        }
    }

    /// Whether no fade, delay or gain of a lane is changing.
    @_noLocks
    private func isAtRest(_ lane: Int) -> Bool {
        guard settings[lane].isHeard, !settings[lane].isLeaving else { return false }
        let state = lanes.cell(lane)
        guard state.value.hold.isOpen(length: fadeLength) else { return false }
        if settings[lane].history != nil {
            guard !state.value.crossfade.isRunning(length: crossfadeLength),
                state.value.delay == state.value.targetDelay, state.value.framesWithoutInput == 0
            else { return false }
        }
        for channel in lane * width..<(lane + 1) * width {
            guard !blocks.isSame(channel, as: silence), fades[channel].isWhole(fadeLength: fadeLength)
            else { return false }
        }
        return true
    }
}
