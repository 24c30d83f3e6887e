// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit
import Synchronization

struct FilterBlockHolder<State: ~Copyable> {
    let block: @Sendable (inout State, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
}

@unsafe private struct FilterBodyHolder {
    let body:
        @Sendable (
            UnsafeMutableRawPointer, UnsafeRawPointer,
            (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
        ) -> Void
}

/// What a filter does in each cycle. Without a destination nobody hears it, so the block is not called.
@_noLocks
@Sendable private func runFilter(
    _ core: UnsafeMutableRawPointer, _ cycle: UnsafeRawPointer,
    _ block: (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
) {
    let core = unsafe core.assumingMemoryBound(to: PortCore.self)
    let cycle = unsafe cycle.assumingMemoryBound(to: GraphCycle.self)
    let status = unsafe core.pointee.loadStatus()
    guard status.isPlain else {
        if status.has(.hasDestination) { unsafe runBypassed(core, cycle, status, block) }
        return
    }
    guard let audio = unsafe core.pointee.begin(cycle, status) else { return }
    unsafe core.pointee.prepareInputs(cycle)
    unsafe core.pointee.prepareOutputs(cycle)
    let inputs = unsafe InputChannels(
        base: cycle.pointee.wholeInputs, count: core.pointee.inputCount, frameCount: audio.frameCount)
    var outputs = unsafe OutputChannels(
        base: cycle.pointee.wholeOutputs, count: core.pointee.outputCount, frameCount: audio.frameCount)
    unsafe block(&core.pointee.state.assumingMemoryBound(to: OpaqueState.self).pointee, audio, inputs, &outputs)
}

/// The same for one that is bypassed, or on its way there or back. Rare, and kept out of the code that runs in every cycle.
@_noLocks
@inline(never)
private func runBypassed(
    _ core: UnsafeMutablePointer<PortCore>, _ cycle: UnsafePointer<GraphCycle>, _ status: PortStatus,
    _ block: (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
) {
    let bypass = unsafe core.pointee.bypass.unsafelyUnwrapped
    guard var audio = unsafe core.pointee.begin(cycle, status) else { return }
    unsafe core.pointee.prepareInputs(cycle)
    unsafe core.pointee.prepareOutputs(cycle)
    if unsafe bypass.pointee.begin(&audio) {
        let inputs = unsafe InputChannels(
            base: cycle.pointee.wholeInputs, count: core.pointee.inputCount, frameCount: audio.frameCount)
        var outputs = unsafe OutputChannels(
            base: cycle.pointee.wholeOutputs, count: core.pointee.outputCount, frameCount: audio.frameCount)
        unsafe block(&core.pointee.state.assumingMemoryBound(to: OpaqueState.self).pointee, audio, inputs, &outputs)
    }
    unsafe bypass.pointee.finish(cycle, audio.frameCount)
}

extension PortCore {
    /// Gives silence to inputs without a buffer, and to all when there is no link: never an old buffer.
    @_noLocks
    @inline(__always)
    func prepareInputs(_ cycle: UnsafePointer<GraphCycle>) {
        let isLinked = unsafe linkedLanes.load(ordering: .relaxed) != 0
        let buffers = unsafe cycle.pointee.inputs
        for channel in unsafe 0..<inputCount where unsafe !isLinked || buffers[channel] == nil {
            unsafe buffers[channel] = unsafe silence
        }
    }
}

extension RealtimeCall {
    static func filter<State: ~Copyable>(_ holder: FilterBlockHolder<State>) -> RealtimeCall {
        unsafe RealtimeCall(
            body: ClosureWords(of: FilterBodyHolder(body: runFilter)), block: ClosureWords(of: holder))
    }
}
