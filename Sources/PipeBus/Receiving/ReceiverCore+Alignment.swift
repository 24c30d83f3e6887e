// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The latency that the aligned lanes share. It is at least that of the slowest aligned source.
///
/// | when | the held latency |
/// | --- | --- |
/// | a slower source comes | grows at once: nothing else can align that source |
/// | less would do | is held: giving it up would cut sound out of every other source |
/// | the control side requests it | shrinks with a crossfade |
/// | each aligned lane has been silent for as long as its delay line holds | shrinks at the start of a cycle |
/// | more than 8192 frames were missed | shrinks at the start of a cycle |
///
/// In the last two cases the jump leaves out silence alone, and the cycle's own sound comes whole.
extension ReceiverCore {
    /// The largest sample of silence: −100 dB below full scale.
    static var silenceThreshold: Float { @_noLocks get { 1e-5 } }

    /// The delay that a lane with a source changes to, in frames.
    @_noLocks
    @inline(__always)
    func targetDelay(_ settings: Cell<LaneSettings>) -> Int {
        guard settings.value.isAligned else { return 0 }
        return max(heldLatency - settings.value.latency, 0)
    }

    /// Decides on the held latency of a cycle, before its sound is taken in.
    ///
    /// - Parameter isNew: whether the port was unconnected before. Then no sound is left from the time before.
    @_noLocks
    @inline(never)
    mutating func align(isNew: Bool) {
        let target = pages.value.alignment
        let isRequested = target.request != realignmentRequest
        realignmentRequest = target.request
        if isNew {
            heldLatency = target.latency
        } else if target.latency > heldLatency || isRequested {
            jump(to: target.latency)
        } else if target.latency < heldLatency {
            // Until now silence has not been counted.
            if !isHolding {
                for lane in 0..<laneCount { lanes[lane].framesBelowThreshold = 0 }
            }
            // After a long gap nothing is left in any delay line.
            if skippedFrames > Self.longestFilling || isSilent(downTo: target.latency) { shrink(to: target.latency) }
        }
        isHolding = heldLatency > target.latency
        board.value.heldLatency.store(heldLatency, ordering: .relaxed)
    }

    /// Moves the lanes to their new delays with a crossfade.
    @_noLocks
    private mutating func jump(to latency: Int) {
        heldLatency = latency
        // A source whose own latency has changed may need no other delay.
        for lane in presentLanes
        where isContinuing(lane) && targetDelay(settings.cell(lane)) != lanes[lane].targetDelay {
            board.value.countRealignment()
            return
        }
    }

    /// Whether a jump to less latency would leave out silence alone.
    @_noLocks
    private func isSilent(downTo latency: Int) -> Bool {
        for lane in presentLanes {
            // The rest of a disconnected source still comes out, and the mix has one timestamp for all sources.
            if !settings[lane].isHeard {
                if soundingLanes.contains(lane) { return false }
                continue
            }
            guard isContinuing(lane) else { continue }
            let state = lanes.cell(lane)
            let longest = max(state.value.delay, latency - settings[lane].latency)
            if state.value.crossfade.isRunning(length: crossfadeLength) || state.value.framesBelowThreshold < longest {
                return false
            }
        }
        return true
    }

    /// Moves the lanes to their new delays without a crossfade, which would fade in this cycle's sound.
    @_noLocks
    private mutating func shrink(to latency: Int) {
        heldLatency = latency
        steadyLanes = LaneSet()
        for lane in presentLanes where isContinuing(lane) { lanes[lane].delay = targetDelay(settings.cell(lane)) }
    }

    /// Whether a lane's source was connected in the last cycle too, and is aligned.
    @_noLocks
    private func isContinuing(_ lane: Int) -> Bool {
        settings[lane].isHeard && settings[lane].isAligned
            && settings[lane].sourceGeneration == lanes[lane].sourceGeneration
    }

    /// Runs after the lanes, in a cycle in which more latency is held than is needed.
    @_noLocks
    @inline(never)
    mutating func measureSilence(frameCount: Int) {
        // Stored again, because the control side sets it to 0 for the first source.
        board.value.heldLatency.store(heldLatency, ordering: .relaxed)
        for lane in presentLanes where isContinuing(lane) && settings[lane].history != nil {
            let state = lanes.cell(lane)
            var peak: Float = 0
            for channel in 0..<width { state.value.line.measureLast(channel, frameCount, peak: &peak) }
            let isBelowThreshold = peak <= Self.silenceThreshold
            state.value.framesBelowThreshold =
                isBelowThreshold
                ? min(state.value.framesBelowThreshold + frameCount, AudioLane.alwaysBelowThreshold) : 0
        }
    }
}
