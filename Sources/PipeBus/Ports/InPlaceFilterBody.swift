// SPDX-License-Identifier: MIT
import CAudioKernels
import CRealtime
import RealtimeKit
import Synchronization

struct InPlaceFilterBlockHolder<State: ~Copyable> {
    let block: @Sendable (inout State, AudioCycle, inout OutputChannels) -> Void
}

@unsafe private struct InPlaceFilterBodyHolder {
    let body:
        @Sendable (
            UnsafeMutableRawPointer, UnsafeRawPointer, (inout OpaqueState, AudioCycle, inout OutputChannels) -> Void
        ) -> Void
}

/// What a filter that works in place does in each cycle: as any filter, but the block finds its input in its output.
@_noLocks
@Sendable private func runInPlaceFilter(
    _ core: UnsafeMutableRawPointer, _ cycle: UnsafeRawPointer,
    _ block: (inout OpaqueState, AudioCycle, inout OutputChannels) -> Void
) {
    let core = unsafe core.assumingMemoryBound(to: PortCore.self)
    let cycle = unsafe cycle.assumingMemoryBound(to: GraphCycle.self)
    let status = unsafe core.pointee.loadStatus()
    guard status.has(.hasDestination), var audio = unsafe core.pointee.begin(cycle, status) else { return }
    let bypass = unsafe core.pointee.prepareFilter(cycle, audio, status)
    if unsafe bypass == nil || bypass.unsafelyUnwrapped.pointee.begin(&audio) {
        for channel in unsafe 0..<core.pointee.outputCount {
            unsafe cak_copy(
                cycle.pointee.wholeOutputs[channel], cycle.pointee.wholeInputs[channel],
                UInt32(truncatingIfNeeded: audio.frameCount))
        }
        var channels = unsafe OutputChannels(
            base: cycle.pointee.wholeOutputs, count: core.pointee.outputCount, frameCount: audio.frameCount)
        unsafe block(&core.pointee.state.assumingMemoryBound(to: OpaqueState.self).pointee, audio, &channels)
    }
    if let bypass = unsafe bypass { unsafe bypass.pointee.finish(cycle, audio.frameCount) }
}

extension RealtimeCall {
    static func inPlaceFilter<State: ~Copyable>(_ holder: InPlaceFilterBlockHolder<State>) -> RealtimeCall {
        unsafe RealtimeCall(
            body: ClosureWords(of: InPlaceFilterBodyHolder(body: runInPlaceFilter)), block: ClosureWords(of: holder))
    }
}
