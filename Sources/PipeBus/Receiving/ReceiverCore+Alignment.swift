// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// The latency that the aligned lanes share. It is at least that of the slowest aligned source.
///
/// It grows at once when a slower source comes, because nothing else can align it. When less would do it is held, because
/// giving it up would cut sound out of every other source. It shrinks when asked to, with a crossfade, or in silence: at
/// the start of a cycle, when each aligned lane has been silent for as long as its delay line holds. Then all that the
/// jump leaves out is silence, and the cycle's own sound comes whole.
extension ReceiverCore {
    /// What no sample of silence exceeds: −100 dB below full scale.
    static var silenceThreshold: Float { @_noLocks get { 1e-5 } }

    /// How long a linked lane is to wait, in frames.
    @_noLocks
    @inline(__always)
    func wantedDelay(_ settings: Cell<LaneSettings>) -> Int {
        guard settings.value.isAligned else { return 0 }
        return max(heldLatency - settings.value.latency, 0)
    }

    /// Decides on the latency of a cycle, before its sound is taken in.
    ///
    /// - Parameter isNew: the port was not connected before; nothing is left of that time.
    @_noLocks
    @inline(never)
    mutating func align(isNew: Bool) {
        let wanted = pages.value.alignment
        let isAsked = wanted.request != realignmentRequest
        realignmentRequest = wanted.request
        if isNew {
            heldLatency = wanted.latency
        } else if wanted.latency > heldLatency || isAsked {
            jump(to: wanted.latency)
        } else if wanted.latency < heldLatency {
            // Until now nobody has looked for silence.
            if !isHolding {
                for lane in 0..<laneCount { lanes[lane].quietFrames = 0 }
            }
            if isSilent(downTo: wanted.latency) { shrink(to: wanted.latency) }
        }
        isHolding = heldLatency > wanted.latency
        board.value.heldLatency.store(heldLatency, ordering: .relaxed)
    }

    /// The lanes follow with a crossfade.
    @_noLocks
    private mutating func jump(to latency: Int) {
        heldLatency = latency
        // A source whose own latency has become another one may need no other delay.
        for lane in presentLanes
        where isGoingOn(lane) && wantedDelay(settings.cell(lane)) != lanes[lane].wantedDelay {
            board.value.countRealignment()
            return
        }
    }

    /// Nothing is to be heard of what a jump to less latency leaves out.
    @_noLocks
    private func isSilent(downTo latency: Int) -> Bool {
        for lane in presentLanes {
            // The last of a source that has gone still comes out, and the mix has one timestamp for all.
            if !settings[lane].isLinked {
                if soundingLanes.contains(lane) { return false }
                continue
            }
            guard isGoingOn(lane) else { continue }
            let state = lanes.cell(lane)
            let longest = max(state.value.delay, latency - settings[lane].latency)
            if state.value.crossfade.isRunning(length: crossfadeLength) || state.value.quietFrames < longest {
                return false
            }
        }
        return true
    }

    /// The lanes follow without a crossfade, which would fade in what comes in this cycle.
    @_noLocks
    private mutating func shrink(to latency: Int) {
        heldLatency = latency
        steadyLanes = LaneSet()
        for lane in presentLanes where isGoingOn(lane) { lanes[lane].delay = wantedDelay(settings.cell(lane)) }
    }

    /// A lane's source was there in the last cycle too, and is aligned.
    @_noLocks
    private func isGoingOn(_ lane: Int) -> Bool {
        settings[lane].isLinked && settings[lane].isAligned
            && settings[lane].sourceGeneration == lanes[lane].sourceGeneration
    }

    /// After the lanes have gone through a cycle in which more latency is held than is needed.
    @_noLocks
    @inline(never)
    mutating func measureSilence(frameCount: Int) {
        // Again, because the control side takes it back when the first source comes.
        board.value.heldLatency.store(heldLatency, ordering: .relaxed)
        for lane in presentLanes where isGoingOn(lane) && settings[lane].history != nil {
            let state = lanes.cell(lane)
            var peak: Float = 0
            for channel in 0..<width { state.value.line.measureLast(channel, frameCount, peak: &peak) }
            let isQuiet = peak <= Self.silenceThreshold
            state.value.quietFrames = isQuiet ? min(state.value.quietFrames + frameCount, LaneState.allQuiet) : 0
        }
    }
}
