// SPDX-License-Identifier: MIT
import PeerProtocol
import PipeBus
import Synchronization

/// The record of every port for every cycle.
extension PortProbe.Memory {
    @_noLocks
    mutating func begin(_ cycle: AudioCycle) {
        unsafe sums.begin(cycle)
        unsafe version.add(1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        let isFirst = unsafe !hasStarted
        unsafe hasStarted = true
        if unsafe followsPosition { unsafe frame = cycle.position }
        if unsafe isToRecount.exchange(false, ordering: .relaxed) {
            let recounts = unsafe counts.recounts
            unsafe counts = PeerCounts()
            unsafe counts.recounts = recounts + 1
            unsafe gaps.removeAll()
            unsafe breaks.removeAll()
            unsafe wrongRanges.removeAll()
        }
        if unsafe counts.cycles == 0 {
            // A gap before the first cycle is part of what is counted.
            unsafe counts.firstPosition = cycle.position &- UInt64(cycle.missedFrames)
            unsafe counts.shortestCycle = cycle.frameCount
        }
        if cycle.isDiscontinuous { unsafe counts.discontinuities += 1 }
        if cycle.missedFrames > 0 {
            let missed = UInt64(cycle.missedFrames)
            unsafe counts.missedFrames += missed
            unsafe gaps.append(from: cycle.position &- missed, to: cycle.position)
        }
        if cycle.isDiscontinuous, !isFirst {
            // If nothing was missed, the last cycle may have been overtaken by the graph.
            let overtaken = unsafe cycle.missedFrames == 0 ? lastFrameCount : 0
            unsafe breaks.append(
                from: cycle.position &- min(overtaken, cycle.position), to: cycle.position + UInt64(cycle.frameCount))
        }
        unsafe lastFrameCount = UInt64(cycle.frameCount)
    }

    @_noLocks
    mutating func end(_ cycle: AudioCycle) {
        // Wraps back to where it was after leading silence, which it does not count.
        unsafe frame &+= UInt64(cycle.frameCount)
        unsafe counts.cycles += 1
        unsafe counts.frames += UInt64(cycle.frameCount)
        unsafe counts.endPosition = cycle.position + UInt64(cycle.frameCount)
        if unsafe cycle.frameCount < counts.shortestCycle { unsafe counts.shortestCycle = cycle.frameCount }
        if unsafe cycle.frameCount > counts.longestCycle { unsafe counts.longestCycle = cycle.frameCount }
        unsafe counts.sampleRate = cycle.sampleRate
        if cycle.isFreewheeling { unsafe counts.wasFreewheeling = true }
        unsafe sums.end()
        // Release: pairs with the control side's acquire in `report`.
        unsafe version.add(1, ordering: .releasing)
    }
}
