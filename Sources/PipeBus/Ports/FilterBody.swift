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

/// What a filter that takes everything as it comes does in each cycle. Without a destination nobody hears it, so the block
/// is not called.
@_noLocks
@Sendable private func runFilter(
    _ core: UnsafeMutableRawPointer, _ cycle: UnsafeRawPointer,
    _ block: (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
) {
    let core = unsafe core.assumingMemoryBound(to: PortCore.self)
    let cycle = unsafe cycle.assumingMemoryBound(to: GraphCycle.self)
    let status = unsafe core.pointee.loadStatus()
    guard status.isPlain else {
        if status.has(.hasDestination) { unsafe runWholeFilter(core, cycle, status, block) }
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

/// The same for one that fades what it is given.
@_noLocks
@Sendable private func runFadingFilter(
    _ core: UnsafeMutableRawPointer, _ cycle: UnsafeRawPointer,
    _ block: (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
) {
    let core = unsafe core.assumingMemoryBound(to: PortCore.self)
    let status = unsafe core.pointee.loadStatus()
    guard status.has(.hasDestination) else { return }
    unsafe runWholeFilter(core, cycle.assumingMemoryBound(to: GraphCycle.self), status, block)
}

/// All that a filter can do: fades, and a bypass.
@_noLocks
@inline(never)
private func runWholeFilter(
    _ core: UnsafeMutablePointer<PortCore>, _ cycle: UnsafePointer<GraphCycle>, _ status: PortStatus,
    _ block: (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
) {
    guard var audio = unsafe core.pointee.begin(cycle, status) else { return }
    let bypass = unsafe core.pointee.prepareFilter(cycle, audio, status)
    if unsafe bypass == nil || bypass.unsafelyUnwrapped.pointee.begin(&audio) {
        let inputs = unsafe InputChannels(
            base: cycle.pointee.wholeInputs, count: core.pointee.inputCount, frameCount: audio.frameCount)
        var outputs = unsafe OutputChannels(
            base: cycle.pointee.wholeOutputs, count: core.pointee.outputCount, frameCount: audio.frameCount)
        unsafe block(&core.pointee.state.assumingMemoryBound(to: OpaqueState.self).pointee, audio, inputs, &outputs)
    }
    if let bypass = unsafe bypass { unsafe bypass.pointee.finish(cycle, audio.frameCount) }
}

extension PortCore {
    /// Gives silence to inputs without a buffer, and to all when there is no link: never an old buffer.
    @_noLocks
    @inline(__always)
    fileprivate func prepareInputs(_ cycle: UnsafePointer<GraphCycle>) {
        let isLinked = unsafe linkedLanes.load(ordering: .relaxed) != 0
        let buffers = unsafe cycle.pointee.inputs
        for channel in unsafe 0..<inputCount where unsafe !isLinked || buffers[channel] == nil {
            unsafe buffers[channel] = unsafe silence
        }
    }

    /// Gives every channel a buffer, with what is to be heard in it.
    ///
    /// - Returns: the bypass, if it has anything to do.
    @_noLocks
    @inline(__always)
    func prepareFilter(
        _ cycle: UnsafePointer<GraphCycle>, _ audio: AudioCycle, _ status: PortStatus
    ) -> UnsafeMutablePointer<BypassCore>? {
        if let fades = unsafe inputFades {
            let isLinked = unsafe linkedLanes.load(ordering: .relaxed) != 0
            unsafe fades.pointee.pass(cycle, audio, isLinked: isLinked)
        } else {
            unsafe prepareInputs(cycle)
        }
        unsafe prepareOutputs(cycle)
        guard !status.isPlain, let bypass = unsafe bypass, unsafe bypass.pointee.enter() else { return nil }
        return unsafe bypass
    }
}

extension RealtimeCall {
    /// - Parameter fades: whether what comes is faded.
    static func filter<State: ~Copyable>(_ holder: FilterBlockHolder<State>, fades: Bool) -> RealtimeCall {
        let body = unsafe FilterBodyHolder(body: fades ? runFadingFilter : runFilter)
        return unsafe RealtimeCall(body: ClosureWords(of: body), block: ClosureWords(of: holder))
    }
}
