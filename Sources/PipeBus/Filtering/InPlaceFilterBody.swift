// SPDX-License-Identifier: MIT
import RealtimeKit

struct InPlaceFilterBlockHolder<State: ~Copyable> {
    let block: @Sendable (inout State, AudioCycle, inout OutputChannels) -> Void
}

private struct InPlaceFilterBodyHolder {
    let body:
        @Sendable (Cell<PortCore>, GraphCycle, (inout OpaqueState, AudioCycle, inout OutputChannels) -> Void) -> Void
}

/// A cycle of a filter that works in place: the block finds its input in its output.
@_noLocks
@Sendable private func runInPlaceFilter(
    _ core: Cell<PortCore>, _ cycle: GraphCycle, _ block: (inout OpaqueState, AudioCycle, inout OutputChannels) -> Void
) {
    let status = core.value.loadStatus()
    guard status.has(.runs), var audio = core.value.begin(cycle, status) else {
        return cycle.outputs.silence(core.value.outputCount)
    }
    let bypass = core.value.prepareFilter(cycle, audio, status)
    if bypass?.value.begin(&audio, isAfterPause: core.value.tracker.isAfterPause) ?? true {
        let (taken, given) = (cycle.inputs, cycle.outputs)
        for channel in 0..<core.value.outputCount { given.whole(channel).copy(from: taken.whole(channel)) }
        var outputs = OutputChannels(given, count: core.value.outputCount, isFilled: true)
        block(&core.value.state.value, audio, &outputs)
    }
    if let bypass { bypass.value.finish(cycle) }
}

extension RealtimeCall {
    static func inPlaceFilter<State: ~Copyable>(_ holder: InPlaceFilterBlockHolder<State>) -> RealtimeCall {
        RealtimeCall(
            body: ClosureWords(of: InPlaceFilterBodyHolder(body: runInPlaceFilter)), block: ClosureWords(of: holder))
    }
}
