// SPDX-License-Identifier: MIT
import CRealtime

/// The short way through a cycle, for lanes on which nothing changes. It comes to the same as the long one; it only leaves
/// out what would be found as it was. What counts is how much memory is looked at, because by the time of the next cycle
/// none of it is in the caches.
extension ReceiverCore {
    /// Takes a steady lane through a cycle.
    ///
    /// - Returns: false if its sound does not come, with nothing done: then it takes the long way.
    @_noLocks
    @inline(__always)
    mutating func pass(_ lane: Int, _ cycle: UnsafePointer<GraphCycle>, _ frameCount: Int) -> Bool {
        let state = unsafe lanes + lane
        let first = unsafe lane &* width
        for channel in unsafe first..<first &+ width {
            guard let buffer = unsafe cycle.pointee.inputs[channel] else { return false }
            unsafe blocks[channel] = unsafe buffer
            unsafe lastSamples[channel] = unsafe buffer[frameCount &- 1]
        }
        if let history = unsafe state.pointee.history {
            for channel in unsafe 0..<width {
                unsafe blocks[first &+ channel] = unsafe delay(
                    lane, channel, history, blocks[first &+ channel], frameCount)
            }
            unsafe state.pointee.written += frameCount
        }
        unsafe measure(lane, channelCount: state.pointee.channelCount, frameCount: frameCount)
        return true
    }

    /// After lanes have taken the long way: which of them can take the short one the next time.
    @_noLocks
    @inline(never)
    mutating func findSteadyLanes(among present: UInt64) {
        var remaining = present
        while remaining != 0 {
            let lane = remaining.trailingZeroBitCount
            remaining &= remaining &- 1
            let settings = unsafe settings + lane
            guard unsafe isAtRest(lane, settings) else { continue }
            unsafe lanes[lane].history = unsafe settings.pointee.history
            unsafe lanes[lane].channelCount = unsafe settings.pointee.channelCount
            unsafe steadyLanes |= 1 << UInt64(truncatingIfNeeded: lane)
        }
    }

    /// Nothing of a lane is on its way to something else.
    @_noLocks
    private func isAtRest(_ lane: Int, _ settings: UnsafePointer<LaneSettings>) -> Bool {
        guard unsafe settings.pointee.isLinked, unsafe !settings.pointee.isLeaving else { return false }
        let state = unsafe lanes + lane
        if unsafe settings.pointee.history != nil {
            guard unsafe state.pointee.crossfade >= crossfadeLength,
                unsafe state.pointee.delay == state.pointee.wantedDelay, unsafe state.pointee.silentFrames == 0
            else { return false }
        }
        for channel in unsafe lane * width..<(lane + 1) * width {
            guard unsafe blocks[channel] != silence, unsafe channels[channel].fade == fadeLength,
                unsafe channels[channel].tailPosition >= fadeLength
            else { return false }
        }
        return true
    }
}
