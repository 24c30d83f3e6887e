// SPDX-License-Identifier: MIT
import RealtimeKit

private struct BlockSenderBodyHolder {
    let body:
        @Sendable (Cell<PortCore>, GraphCycle, (inout OpaqueState, AudioCycle, inout OutputChannels) -> Void) -> Void
}

/// A cycle of a sender whose block has a fixed size.
@_noLocks
@Sendable private func runBlockSender(
    _ core: Cell<PortCore>, _ cycle: GraphCycle, _ block: (inout OpaqueState, AudioCycle, inout OutputChannels) -> Void
) {
    let status = core.value.loadStatus()
    let buffers = cycle.outputs
    guard status.has(.runs), let audio = core.value.begin(cycle, status), let blocks = core.value.senderBlocks else {
        return buffers.silence(core.value.outputCount)
    }
    core.value.prepareOutputs(buffers)
    blocks.value.begin(audio, isAfterPause: core.value.tracker.isAfterPause)
    let made = blocks.value.outputs
    while let part = blocks.value.nextCall(audio) {
        var outputs = OutputChannels(made, count: core.value.outputCount)
        block(&core.value.state.value, part, &outputs)
        outputs.silenceRest()
        blocks.value.finishCall()
    }
    blocks.value.give(to: buffers)
}

extension RealtimeCall {
    static func blockSender<State: ~Copyable>(_ holder: SenderBlockHolder<State>) -> RealtimeCall {
        RealtimeCall(
            body: ClosureWords(of: BlockSenderBodyHolder(body: runBlockSender)), block: ClosureWords(of: holder))
    }
}
