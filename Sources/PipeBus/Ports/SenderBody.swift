// SPDX-License-Identifier: MIT
import RealtimeKit

/// A closure passed by itself as a generic argument gets another calling convention; inside a struct it keeps its own.
struct SenderBlockHolder<State: ~Copyable> {
    let block: @Sendable (inout State, AudioCycle, inout OutputChannels) -> Void
}

/// C calls a body with the addresses of the core and of the cycle. The views in their place hold one address each, and
/// are passed in the same way.
private struct SenderBodyHolder {
    let body:
        @Sendable (Cell<PortCore>, GraphCycle, (inout OpaqueState, AudioCycle, inout OutputChannels) -> Void) -> Void
}

/// A cycle of a sender.
@_noLocks
@Sendable private func runSender(
    _ core: Cell<PortCore>, _ cycle: GraphCycle, _ block: (inout OpaqueState, AudioCycle, inout OutputChannels) -> Void
) {
    // On 0.3.65 a node without links runs too, if another node of its group is linked.
    let status = core.value.loadStatus()
    let buffers = cycle.outputs
    guard status.has(.runs), let audio = core.value.begin(cycle, status) else {
        return buffers.silence(core.value.outputCount)
    }
    core.value.prepareOutputs(buffers)
    var outputs = OutputChannels(buffers, count: core.value.outputCount)
    block(&core.value.state.value, audio, &outputs)
    outputs.silenceRest()
}

extension RealtimeCall {
    static func sender<State: ~Copyable>(_ holder: SenderBlockHolder<State>) -> RealtimeCall {
        RealtimeCall(body: ClosureWords(of: SenderBodyHolder(body: runSender)), block: ClosureWords(of: holder))
    }
}
