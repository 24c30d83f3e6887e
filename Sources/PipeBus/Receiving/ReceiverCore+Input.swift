// SPDX-License-Identifier: MIT
import RealtimeKit

/// Fades: a raised cosine in when sound comes, one out before we unlink a source, and when somebody else has cut it off,
/// the last sample dies away.
extension ReceiverCore {
    /// What comes in on one channel of a lane, faded.
    ///
    /// - Returns: PipeWire's own buffer where nothing is to be changed, `silence`, or the channel's scratch.
    @_noLocks
    @inline(__always)
    mutating func takeInput(_ lane: Int, _ channel: Int, _ inputs: CycleBuffers) -> SampleBlock {
        let index = lane * width + channel
        let settings = settings.cell(lane)
        var block = settings.value.isLinked ? inputs[index] : nil
        if block == nil, settings.value.channelCount == 1, settings.value.isLinked {
            // A mono source is the same on all channels, of which some may not be linked yet.
            block = anyInput(ofLane: lane, inputs)
        }
        if let block, !settings.value.isLeaving, channels[index].isWhole(fadeLength: fadeLength) {
            lastSamples[index] = block.last
            return block
        }
        return fade(block, isLeaving: settings.value.isLeaving, index, inputs.frameCount)
    }

    @_noLocks
    func anyInput(ofLane lane: Int, _ inputs: CycleBuffers) -> SampleBlock? {
        for channel in 0..<width {
            if let block = inputs[lane * width + channel] { return block }
        }
        return nil
    }

    /// Rare, and kept out of the code that runs in every cycle.
    @_noLocks
    @inline(never)
    private func fade(_ block: SampleBlock?, isLeaving: Bool, _ index: Int, _ frameCount: Int) -> SampleBlock {
        channels[index].pass(
            block, isLeaving: isLeaving, last: lastSamples.cell(index), place: scratch.block(index, frameCount),
            spare: spare(frameCount), silence: silence.prefix(frameCount), fadeLength)
    }

    /// Reports to the control side when a source that is leaving cannot be heard any more.
    @_noLocks
    @inline(__always)
    func reportQuiet(_ lane: Int, _ settings: Cell<LaneSettings>) {
        guard settings.value.isLeaving else {
            // A fade that was taken back is none for the next time.
            return board.value.reportQuiet(lane: lane, sourceGeneration: 0)
        }
        for channel in 0..<width where fadeLength > 0 && channels[lane * width + channel].fade > 0 { return }
        board.value.reportQuiet(lane: lane, sourceGeneration: settings.value.sourceGeneration)
    }
}
