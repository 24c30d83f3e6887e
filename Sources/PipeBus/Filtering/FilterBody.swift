// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

struct FilterBlockHolder<State: ~Copyable> {
    let block: @Sendable (inout State, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
}

private struct FilterBodyHolder {
    let body:
        @Sendable (
            Cell<PortCore>, GraphCycle,
            (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
        ) -> Void
}

/// Runs a cycle of a filter without fades. The block is called only if the filter has a destination or keeps
/// running.
@_noLocks
@Sendable private func runFilter(
    _ core: Cell<PortCore>, _ cycle: GraphCycle,
    _ block: (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
) {
    let status = core.value.loadStatus()
    guard status.isPlain else {
        return runWholeFilter(core, cycle, status, block)
    }
    guard let audio = core.value.begin(cycle, status) else {
        return cycle.outputs.silence(core.value.outputCount)
    }
    let (taken, given) = (cycle.inputs, cycle.outputs)
    core.value.prepareInputs(taken)
    core.value.prepareOutputs(given)
    let inputs = InputChannels(taken, count: core.value.blockInputCount)
    var outputs = OutputChannels(given, count: core.value.outputCount)
    block(&core.value.state.value, audio, inputs, &outputs)
    outputs.silenceRest()
}

/// A cycle of a filter with fades.
@_noLocks
@Sendable private func runFadingFilter(
    _ core: Cell<PortCore>, _ cycle: GraphCycle,
    _ block: (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
) {
    runWholeFilter(core, cycle, core.value.loadStatus(), block)
}

/// A cycle of a filter with everything: fades, a bypass, and an exchange of sources.
@_noLocks
@inline(never)
private func runWholeFilter(
    _ core: Cell<PortCore>, _ cycle: GraphCycle, _ status: PortStatus,
    _ block: (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
) {
    guard status.has(.runs), var audio = core.value.begin(cycle, status) else {
        return cycle.outputs.silence(core.value.outputCount)
    }
    let bypass = core.value.prepareFilter(cycle, audio, status)
    if bypass?.value.begin(&audio, isAfterPause: core.value.tracker.isAfterPause) ?? true {
        let (taken, given) = (cycle.inputs, cycle.outputs)
        let inputs = InputChannels(taken, count: core.value.blockInputCount)
        var outputs = OutputChannels(given, count: core.value.outputCount)
        block(&core.value.state.value, audio, inputs, &outputs)
        outputs.silenceRest()
    }
    if let bypass { bypass.value.finish(cycle) }
}

extension PortCore {
    /// Silences inputs without a buffer, and all inputs without a link: the block never sees an old buffer.
    @_noLocks
    @inline(__always)
    fileprivate func prepareInputs(_ buffers: CycleBuffers) {
        let isLinked = isLinked.load(ordering: .relaxed)
        for channel in 0..<blockInputCount where !isLinked || buffers[channel] == nil {
            buffers.put(silence, at: channel)
        }
    }

    /// Gives every channel a buffer, with the sound to be heard in it.
    ///
    /// - Returns: the bypass, if it has work to do.
    @_noLocks
    @inline(__always)
    func prepareFilter(_ cycle: GraphCycle, _ audio: AudioCycle, _ status: PortStatus) -> Cell<BypassCore>? {
        guard status.isPlain else { return prepareChangingFilter(cycle, audio, status) }
        prepareBuffers(cycle, audio)
        return nil
    }

    /// The same for a filter with a bypass, or of which sources are being exchanged.
    ///
    /// Rare, and kept out of the code that runs in every cycle.
    @_noLocks
    @inline(never)
    private func prepareChangingFilter(
        _ cycle: GraphCycle, _ audio: AudioCycle, _ status: PortStatus
    ) -> Cell<BypassCore>? {
        // Before the fades, for which nothing changes so.
        if status.has(.isTapping), let tap { tap.value.pass(cycle) }
        prepareBuffers(cycle, audio)
        guard status.has(.isBypassing), let bypass, bypass.value.ownership.acquireForCycle() else { return nil }
        return bypass
    }

    @_noLocks
    @inline(__always)
    private func prepareBuffers(_ cycle: GraphCycle, _ audio: AudioCycle) {
        if let fades = inputFades {
            fades.value.pass(
                cycle.inputs, audio, isLinked: isLinked.load(ordering: .relaxed), isAfterPause: tracker.isAfterPause)
        } else {
            prepareInputs(cycle.inputs)
        }
        prepareOutputs(cycle.outputs)
    }
}

extension RealtimeCall {
    /// - Parameter fades: whether the input is faded.
    static func filter<State: ~Copyable>(_ holder: FilterBlockHolder<State>, fades: Bool) -> RealtimeCall {
        let body = FilterBodyHolder(body: fades ? runFadingFilter : runFilter)
        return RealtimeCall(body: ClosureWords(of: body), block: ClosureWords(of: holder))
    }
}
