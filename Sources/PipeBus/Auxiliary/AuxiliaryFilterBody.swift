// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

struct AuxiliaryFilterBlockHolder<State: ~Copyable> {
    let block:
        @Sendable (
            inout State, AudioCycle, borrowing InputChannels, borrowing AuxiliaryChannels, inout OutputChannels
        ) -> Void
}

private struct AuxiliaryFilterBodyHolder {
    let body:
        @Sendable (
            Cell<PortCore>, GraphCycle,
            (inout OpaqueState, AudioCycle, borrowing InputChannels, borrowing AuxiliaryChannels, inout OutputChannels)
                -> Void
        ) -> Void
}

/// A cycle of a filter with auxiliary inputs, whose receivers have run before.
@_noLocks
@Sendable private func runAuxiliaryFilter(
    _ core: Cell<PortCore>, _ cycle: GraphCycle,
    _ block: (
        inout OpaqueState, AudioCycle, borrowing InputChannels, borrowing AuxiliaryChannels, inout OutputChannels
    ) -> Void
) {
    let status = core.value.loadStatus()
    guard status.has(.runs), var audio = core.value.begin(cycle, status), let auxiliaries = core.value.auxiliaries
    else {
        return cycle.outputs.silence(core.value.outputCount)
    }
    let bypass = core.value.prepareFilter(cycle, audio, status)
    let isAfterPause = core.value.tracker.isAfterPause
    guard bypass?.value.begin(&audio, isAfterPause: isAfterPause) ?? true else {
        if let blocks = core.value.filterBlocks { blocks.value.pass(audio) }
        if let bypass { bypass.value.finish(cycle) }
        return
    }
    let all = auxiliaries.value.collect(
        cycle.inputs, audio, isLinked: core.value.isLinked.load(ordering: .relaxed), isAfterPause: isAfterPause)
    if let blocks = core.value.filterBlocks {
        blocks.value.begin(audio, isAfterPause: isAfterPause)
        let (gathered, made) = (blocks.value.inputs, blocks.value.outputs)
        while let part = blocks.value.nextCall(audio, all) {
            let inputs = InputChannels(gathered, count: core.value.blockInputCount)
            let auxiliary = AuxiliaryChannels(auxiliaries, gathered)
            var outputs = OutputChannels(made, count: core.value.outputCount)
            block(&core.value.state.value, part, inputs, auxiliary, &outputs)
            outputs.silenceRest()
            blocks.value.finishCall()
        }
        blocks.value.give(to: cycle.outputs)
    } else {
        let given = cycle.outputs
        let inputs = InputChannels(all, count: core.value.blockInputCount)
        let auxiliary = AuxiliaryChannels(auxiliaries, all)
        var outputs = OutputChannels(given, count: core.value.outputCount)
        block(&core.value.state.value, audio, inputs, auxiliary, &outputs)
        outputs.silenceRest()
    }
    if let bypass { bypass.value.finish(cycle) }
}

extension RealtimeCall {
    static func auxiliaryFilter<State: ~Copyable>(_ holder: AuxiliaryFilterBlockHolder<State>) -> RealtimeCall {
        RealtimeCall(
            body: ClosureWords(of: AuxiliaryFilterBodyHolder(body: runAuxiliaryFilter)), block: ClosureWords(of: holder)
        )
    }
}
