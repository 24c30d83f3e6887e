// SPDX-License-Identifier: MIT
import CAudioKernels
import CRealtime

/// Fades: a raised cosine in when sound comes, one out before we unlink a source, and when somebody else has cut it off,
/// the last sample dies away.
extension ReceiverCore {
    /// What comes in on one channel of a lane, faded.
    ///
    /// - Returns: PipeWire's own buffer where nothing is to be changed, `silence`, or the channel's scratch.
    @_noLocks
    @inline(__always)
    mutating func takeInput(
        _ lane: Int, _ channel: Int, _ settings: UnsafePointer<LaneSettings>, _ cycle: UnsafePointer<GraphCycle>,
        _ frameCount: Int
    ) -> UnsafeMutablePointer<Float> {
        let state = unsafe channels + lane * width + channel
        var buffer = unsafe settings.pointee.isLinked ? cycle.pointee.inputs[lane * width + channel] : nil
        if unsafe buffer == nil, unsafe settings.pointee.channelCount == 1, unsafe settings.pointee.isLinked {
            // A mono source is the same on all channels, of which some may not be linked yet.
            unsafe buffer = unsafe anyInput(ofLane: lane, cycle)
        }
        if let buffer = unsafe buffer, unsafe !settings.pointee.isLeaving, unsafe state.pointee.fade == fadeLength,
            unsafe state.pointee.tailPosition >= fadeLength
        {
            unsafe lastSamples[lane * width + channel] = unsafe buffer[frameCount - 1]
            return unsafe buffer
        }
        return unsafe fade(state, buffer, isLeaving: settings.pointee.isLeaving, lane, channel, frameCount)
    }

    @_noLocks
    private func anyInput(ofLane lane: Int, _ cycle: UnsafePointer<GraphCycle>) -> UnsafeMutablePointer<Float>? {
        for channel in unsafe 0..<width {
            if let buffer = unsafe cycle.pointee.inputs[lane * width + channel] { return unsafe buffer }
        }
        return nil
    }

    /// Rare, and kept out of the code that runs in every cycle.
    @_noLocks
    @inline(never)
    private func fade(
        _ state: UnsafeMutablePointer<ChannelState>, _ buffer: UnsafeMutablePointer<Float>?, isLeaving: Bool,
        _ lane: Int, _ channel: Int, _ frameCount: Int
    ) -> UnsafeMutablePointer<Float> {
        let place = unsafe scratch + (lane * width + channel) * AudioCycle.maximumFrameCount
        let frames = UInt32(truncatingIfNeeded: frameCount)
        let length = unsafe UInt32(truncatingIfNeeded: fadeLength)
        var result = unsafe silence
        if let buffer = unsafe buffer, unsafe !isLeaving || fadeLength == 0 {
            unsafe cak_fade_in(place, buffer, frames, UInt32(truncatingIfNeeded: state.pointee.fade), length)
            unsafe state.pointee.fade = unsafe min(state.pointee.fade + frameCount, fadeLength)
            unsafe result = unsafe place
        } else if let buffer = unsafe buffer, unsafe state.pointee.fade > 0 {
            // From wherever it was: the curve is symmetrical.
            let position = unsafe fadeLength - state.pointee.fade
            unsafe cak_fade_out(place, buffer, frames, UInt32(truncatingIfNeeded: position), length)
            unsafe state.pointee.fade = unsafe max(state.pointee.fade - frameCount, 0)
            unsafe result = unsafe place
        } else if unsafe buffer == nil {
            unsafe state.pointee.cut(last: lastSamples[lane * width + channel])
        }
        if unsafe state.pointee.tailPosition < fadeLength {
            let position = unsafe UInt32(truncatingIfNeeded: state.pointee.tailPosition)
            if unsafe result == silence {
                unsafe cak_decay(place, state.pointee.tail, frames, position, length)
                unsafe result = unsafe place
            } else {
                unsafe cak_decay(spare, state.pointee.tail, frames, position, length)
                for frame in 0..<frameCount { unsafe place[frame] += spare[frame] }
            }
            unsafe state.pointee.tailPosition += frameCount
        }
        unsafe lastSamples[lane * width + channel] = unsafe result[frameCount - 1]
        return unsafe result
    }

    /// Tells the control side when a source that is leaving cannot be heard any more.
    @_noLocks
    @inline(__always)
    func tellQuiet(_ lane: Int, _ settings: UnsafePointer<LaneSettings>) {
        guard unsafe settings.pointee.isLeaving else {
            // A fade that was taken back is none for the next time.
            return unsafe board.pointee.tellQuiet(lane: lane, occupancy: 0)
        }
        for channel in unsafe 0..<width
        where unsafe fadeLength > 0 && channels[lane * width + channel].fade > 0 {
            return
        }
        unsafe board.pointee.tellQuiet(lane: lane, occupancy: settings.pointee.occupancy)
    }
}

extension ChannelState {
    /// The sound stops here; what it was last is to die away.
    @_noLocks
    mutating func cut(last: Float) {
        if unsafe fade > 0 {
            unsafe tail = last
            unsafe tailPosition = 0
        }
        unsafe fade = 0
    }
}
