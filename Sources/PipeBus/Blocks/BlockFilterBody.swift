// SPDX-License-Identifier: MIT
import RealtimeKit

private struct BlockFilterBodyHolder {
    let body:
        @Sendable (
            Cell<PortCore>, GraphCycle,
            (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
        ) -> Void
}

private struct InPlaceBlockFilterBodyHolder {
    let body:
        @Sendable (Cell<PortCore>, GraphCycle, (inout OpaqueState, AudioCycle, inout OutputChannels) -> Void) -> Void
}

/// A cycle of a filter whose block has a fixed size.
@_noLocks
@Sendable private func runBlockFilter(
    _ core: Cell<PortCore>, _ cycle: GraphCycle,
    _ block: (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
) {
    let status = core.value.loadStatus()
    guard status.has(.runs), var audio = core.value.begin(cycle, status), let blocks = core.value.filterBlocks else {
        return cycle.outputs.silence(core.value.outputCount)
    }
    let bypass = core.value.prepareFilter(cycle, audio, status)
    if bypass?.value.begin(&audio, isAfterPause: core.value.tracker.isAfterPause) ?? true {
        blocks.value.begin(audio, isAfterPause: core.value.tracker.isAfterPause)
        let (gathered, made) = (blocks.value.inputs, blocks.value.outputs)
        while let part = blocks.value.nextCall(audio, cycle.inputs) {
            let inputs = InputChannels(gathered, count: core.value.blockInputCount)
            var outputs = OutputChannels(made, count: core.value.outputCount)
            block(&core.value.state.value, part, inputs, &outputs)
            outputs.silenceRest()
            blocks.value.finishCall()
        }
        blocks.value.give(to: cycle.outputs)
    } else {
        blocks.value.pass(audio)
    }
    if let bypass { bypass.value.finish(cycle) }
}

/// A cycle of a filter that works in place, with blocks of a fixed size.
@_noLocks
@Sendable private func runInPlaceBlockFilter(
    _ core: Cell<PortCore>, _ cycle: GraphCycle, _ block: (inout OpaqueState, AudioCycle, inout OutputChannels) -> Void
) {
    let status = core.value.loadStatus()
    guard status.has(.runs), var audio = core.value.begin(cycle, status), let blocks = core.value.filterBlocks else {
        return cycle.outputs.silence(core.value.outputCount)
    }
    let bypass = core.value.prepareFilter(cycle, audio, status)
    if bypass?.value.begin(&audio, isAfterPause: core.value.tracker.isAfterPause) ?? true {
        blocks.value.begin(audio, isAfterPause: core.value.tracker.isAfterPause)
        let made = blocks.value.outputs
        while let part = blocks.value.nextCall(audio, cycle.inputs) {
            var outputs = OutputChannels(made, count: core.value.outputCount, isFilled: true)
            block(&core.value.state.value, part, &outputs)
            blocks.value.finishCall()
        }
        blocks.value.give(to: cycle.outputs)
    } else {
        blocks.value.pass(audio)
    }
    if let bypass { bypass.value.finish(cycle) }
}

extension RealtimeCall {
    static func blockFilter<State: ~Copyable>(_ holder: FilterBlockHolder<State>) -> RealtimeCall {
        RealtimeCall(
            body: ClosureWords(of: BlockFilterBodyHolder(body: runBlockFilter)), block: ClosureWords(of: holder))
    }

    static func inPlaceBlockFilter<State: ~Copyable>(_ holder: InPlaceFilterBlockHolder<State>) -> RealtimeCall {
        RealtimeCall(
            body: ClosureWords(of: InPlaceBlockFilterBodyHolder(body: runInPlaceBlockFilter)),
            block: ClosureWords(of: holder))
    }
}
