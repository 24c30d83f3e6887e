// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

struct BeforeCycleBlockHolder<State: ~Copyable> {
    let block: @Sendable (inout State, AudioCycle) -> Void
}

private struct BeforeCycleBodyHolder {
    let body: @Sendable (Cell<BeforeCycleNode>, GraphCycle, (inout OpaqueState, AudioCycle) -> Void) -> Void
}

/// Called in each cycle of each node, also of a node without a connection.
@_noLocks
@Sendable private func runBeforeCycle(
    _ node: Cell<BeforeCycleNode>, _ cycle: GraphCycle, _ block: (inout OpaqueState, AudioCycle) -> Void
) {
    let core = node.value.core
    // As for a port: a cycle longer than any buffer counts as missed.
    guard cycle.frameCount <= AudioCycle.maximumFrameCount else { return }
    let moment = core.value.timeline.value.advance(to: cycle)
    guard core.value.gate.isFirst(&node.value.mark, moment, nanoseconds: cycle.nanoseconds) else { return }
    let gap = core.value.tracker.advance(
        to: moment, nanoseconds: cycle.nanoseconds, sampleRate: cycle.sampleRate, frameCount: cycle.frameCount,
        connectionEpoch: core.value.epoch.load(ordering: .relaxed))
    let audio = AudioCycle(
        cycle, at: moment, missedFrames: gap.missedFrames,
        isDiscontinuous: gap.isDiscontinuous || cycle.isDiscontinuous,
        status: PortStatus(rawValue: 0), load: PortLoad(mean: 0, maximum: 0), xrunCount: 0)
    block(&core.value.state.value, audio)
}

extension RealtimeCall {
    static func beforeCycle<State: ~Copyable>(_ holder: BeforeCycleBlockHolder<State>) -> RealtimeCall {
        RealtimeCall(
            body: ClosureWords(of: BeforeCycleBodyHolder(body: runBeforeCycle)), block: ClosureWords(of: holder))
    }
}
