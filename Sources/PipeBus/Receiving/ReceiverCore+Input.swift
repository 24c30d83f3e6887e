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
        let index = unsafe lane * width + channel
        return unsafe state.pointee.pass(
            buffer, isLeaving: isLeaving, last: lastSamples + index,
            place: scratch + index * AudioCycle.maximumFrameCount, spare: spare, silence: silence, frameCount,
            fadeLength)
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
