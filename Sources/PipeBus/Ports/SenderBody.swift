// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit
import Synchronization

/// A closure passed by itself as a generic argument gets another calling convention; inside a struct it keeps its own.
struct SenderBlockHolder<State: ~Copyable> {
    let block: @Sendable (inout State, AudioCycle, inout OutputChannels) -> Void
}

@unsafe private struct SenderBodyHolder {
    let body:
        @Sendable (
            UnsafeMutableRawPointer, UnsafeRawPointer, (inout OpaqueState, AudioCycle, inout OutputChannels) -> Void
        ) -> Void
}

/// What a sender does in each cycle.
@_noLocks
@Sendable private func runSender(
    _ core: UnsafeMutableRawPointer, _ cycle: UnsafeRawPointer,
    _ block: (inout OpaqueState, AudioCycle, inout OutputChannels) -> Void
) {
    let core = unsafe core.assumingMemoryBound(to: PortCore.self)
    let cycle = unsafe cycle.assumingMemoryBound(to: GraphCycle.self)
    // On 0.3.65 a node also runs when only another one of its group is linked.
    let status = unsafe core.pointee.loadStatus()
    guard status.has(.hasDestination), let audio = unsafe core.pointee.begin(cycle, status) else { return }
    unsafe core.pointee.prepareOutputs(cycle)
    var channels = unsafe OutputChannels(
        base: cycle.pointee.wholeOutputs, count: core.pointee.outputCount, frameCount: audio.frameCount)
    unsafe block(&core.pointee.state.assumingMemoryBound(to: OpaqueState.self).pointee, audio, &channels)
}

extension RealtimeCall {
    static func sender<State: ~Copyable>(_ holder: SenderBlockHolder<State>) -> RealtimeCall {
        unsafe RealtimeCall(
            body: ClosureWords(of: SenderBodyHolder(body: runSender)), block: ClosureWords(of: holder))
    }
}
