// SPDX-License-Identifier: MIT
import RealtimeKit

/// Fades of a lane's input.
///
/// | when | fade |
/// | --- | --- |
/// | sound begins | raised cosine in |
/// | this app is about to unlink a source | raised cosine out |
/// | another program has unlinked a source | decay of the last sample |
extension ReceiverCore {
    /// The faded input of one channel of a lane.
    ///
    /// - Returns: PipeWire's own buffer where no fade is needed, `silence`, or the channel's scratch block.
    @_noLocks
    @inline(__always)
    mutating func takeInput(_ lane: Int, _ channel: Int, _ inputs: CycleBuffers) -> SampleBlock {
        let index = lane * width + channel
        let settings = settings.cell(lane)
        var block = settings.value.isHeard && settings.value.isLinked(channel) ? inputs[index] : nil
        if block == nil, settings.value.channelCount == 1, settings.value.isHeard {
            // A mono source is equal on all channels, of which some may not be linked yet.
            block = anyInput(ofLane: lane, inputs)
        }
        if let block, !settings.value.isLeaving, fades[index].isWhole(fadeLength: fadeLength) {
            lastSamples[index] = block.last
            return block
        }
        return fade(block, isLeaving: settings.value.isLeaving, index, inputs.frameCount)
    }

    @_noLocks
    func anyInput(ofLane lane: Int, _ inputs: CycleBuffers) -> SampleBlock? {
        for channel in 0..<width where settings[lane].isLinked(channel) {
            if let block = inputs[lane * width + channel] { return block }
        }
        return nil
    }

    /// A fade of a block. Rare, and kept out of the code that runs in every cycle.
    @_noLocks
    @inline(never)
    private func fade(_ block: SampleBlock?, isLeaving: Bool, _ index: Int, _ frameCount: Int) -> SampleBlock {
        fades[index].pass(
            block, isLeaving: isLeaving, isLink: true, last: lastSamples.cell(index),
            place: scratch.block(index, frameCount),
            spare: spare(frameCount), silence: silence.prefix(frameCount), fadeLength)
    }

    /// The part of a delayed block that passes while a lane is held, or begins or ends to be.
    @_noLocks
    @inline(never)
    func hold(_ state: Cell<AudioLane>, _ lane: Int, _ channel: Int, _ block: SampleBlock) -> SampleBlock {
        state.value.hold.pass(
            block, place: scratch.block(lane * width + channel, block.frameCount), silence: silence, length: fadeLength)
    }

    /// Reports to the control side when a source that is leaving or held is faded out.
    @_noLocks
    @inline(__always)
    func reportFadedOut(_ lane: Int, _ settings: Cell<LaneSettings>) {
        if lanes[lane].hold.isClosed(length: fadeLength) {
            return board.value.reportFadedOut(lane: lane, sourceGeneration: settings.value.sourceGeneration)
        }
        guard settings.value.isLeaving else {
            // A cancelled fade-out does not count for the next one.
            return board.value.reportFadedOut(lane: lane, sourceGeneration: 0)
        }
        for channel in 0..<width where fadeLength > 0 && fades[lane * width + channel].position > 0 { return }
        board.value.reportFadedOut(lane: lane, sourceGeneration: settings.value.sourceGeneration)
    }
}
