// SPDX-License-Identifier: MIT
import CAudioKernels
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
    func wantedDelay(_ settings: UnsafePointer<LaneSettings>) -> Int {
        guard unsafe settings.pointee.isAligned else { return 0 }
        return unsafe max(heldLatency - settings.pointee.latency, 0)
    }

    /// Decides on the latency of a cycle, before its sound is taken in.
    ///
    /// - Parameter isNew: the port was not connected before; nothing is left of that time.
    @_noLocks
    @inline(never)
    mutating func align(isNew: Bool) {
        let wanted = unsafe board.pointee.alignment(slot)
        let isAsked = unsafe wanted.request != realignmentRequest
        unsafe realignmentRequest = wanted.request
        if isNew {
            unsafe heldLatency = wanted.latency
        } else if unsafe wanted.latency > heldLatency || isAsked {
            unsafe jump(to: wanted.latency)
        } else if unsafe wanted.latency < heldLatency {
            // Until now nobody has looked for silence.
            if unsafe !isHolding {
                for lane in unsafe 0..<laneCount { unsafe lanes[lane].quietFrames = 0 }
            }
            if unsafe isSilent(downTo: wanted.latency) { unsafe shrink(to: wanted.latency) }
        }
        unsafe isHolding = unsafe heldLatency > wanted.latency
        unsafe board.pointee.heldLatency.store(heldLatency, ordering: .relaxed)
    }

    /// The lanes follow with a crossfade.
    @_noLocks
    private mutating func jump(to latency: Int) {
        unsafe heldLatency = latency
        var remaining = unsafe presentLanes
        while remaining != 0 {
            let lane = remaining.trailingZeroBitCount
            remaining &= remaining &- 1
            let settings = unsafe settings + lane
            // A source whose own latency has become another one may need no other delay.
            if unsafe isGoingOn(lane, settings), unsafe wantedDelay(settings) != lanes[lane].wantedDelay {
                unsafe board.pointee.countRealignment()
                return
            }
        }
    }

    /// Nothing is to be heard of what a jump to less latency leaves out.
    @_noLocks
    private func isSilent(downTo latency: Int) -> Bool {
        var remaining = unsafe presentLanes
        while remaining != 0 {
            let lane = remaining.trailingZeroBitCount
            let bit = remaining & (0 &- remaining)
            remaining &= remaining &- 1
            let settings = unsafe settings + lane
            // The last of a source that has gone still comes out, and the mix has one timestamp for all.
            if unsafe !settings.pointee.isLinked {
                if unsafe soundingLanes & bit != 0 { return false }
                continue
            }
            guard unsafe isGoingOn(lane, settings) else { continue }
            let state = unsafe lanes + lane
            let longest = unsafe max(state.pointee.delay, latency - settings.pointee.latency)
            if unsafe state.pointee.crossfade < crossfadeLength || state.pointee.quietFrames < longest { return false }
        }
        return true
    }

    /// The lanes follow without a crossfade, which would fade in what comes in this cycle.
    @_noLocks
    private mutating func shrink(to latency: Int) {
        unsafe heldLatency = latency
        unsafe steadyLanes = 0
        var remaining = unsafe presentLanes
        while remaining != 0 {
            let lane = remaining.trailingZeroBitCount
            remaining &= remaining &- 1
            let settings = unsafe settings + lane
            if unsafe isGoingOn(lane, settings) { unsafe lanes[lane].delay = unsafe wantedDelay(settings) }
        }
    }

    /// A lane's source was there in the last cycle too, and is aligned.
    @_noLocks
    private func isGoingOn(_ lane: Int, _ settings: UnsafePointer<LaneSettings>) -> Bool {
        unsafe settings.pointee.isLinked && settings.pointee.isAligned
            && settings.pointee.occupancy == lanes[lane].occupancy
    }

    /// After the lanes have gone through a cycle in which more latency is held than is needed.
    @_noLocks
    @inline(never)
    mutating func measureSilence(frameCount: Int) {
        // Again, because the control side takes it back when the first source comes.
        unsafe board.pointee.heldLatency.store(heldLatency, ordering: .relaxed)
        var remaining = unsafe presentLanes
        while remaining != 0 {
            let lane = remaining.trailingZeroBitCount
            remaining &= remaining &- 1
            guard unsafe isGoingOn(lane, settings + lane), let history = unsafe settings[lane].history else { continue }
            let state = unsafe lanes + lane
            var peak: Float = 0
            for channel in unsafe 0..<width {
                unsafe measurePeak(
                    history + channel * historyLength, from: state.pointee.written - frameCount, frameCount, &peak)
            }
            let isQuiet = unsafe peak <= Self.silenceThreshold
            unsafe state.pointee.quietFrames =
                unsafe isQuiet ? min(state.pointee.quietFrames + frameCount, LaneState.allQuiet) : 0
        }
    }

    @_noLocks
    private func measurePeak(
        _ history: UnsafeMutablePointer<Float>, from count: Int, _ frameCount: Int, _ peak: inout Float
    ) {
        let start = unsafe count & (historyLength - 1)
        let first = unsafe min(frameCount, historyLength - start)
        var energy = 0.0
        unsafe cak_measure(history + start, UInt32(truncatingIfNeeded: first), &peak, &energy)
        if first < frameCount {
            unsafe cak_measure(history, UInt32(truncatingIfNeeded: frameCount - first), &peak, &energy)
        }
    }
}
