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

/// What a filter that takes everything as it comes does in each cycle. Without a destination nobody hears it, so the block
/// is not called.
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
    let inputs = InputChannels(taken, count: core.value.inputCount)
    var outputs = OutputChannels(given, count: core.value.outputCount)
    block(&core.value.state.value, audio, inputs, &outputs)
    outputs.silenceRest()
}

/// The same for one that fades what it is given.
@_noLocks
@Sendable private func runFadingFilter(
    _ core: Cell<PortCore>, _ cycle: GraphCycle,
    _ block: (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
) {
    runWholeFilter(core, cycle, core.value.loadStatus(), block)
}

/// All that a filter can do: fades, and a bypass.
@_noLocks
@inline(never)
private func runWholeFilter(
    _ core: Cell<PortCore>, _ cycle: GraphCycle, _ status: PortStatus,
    _ block: (inout OpaqueState, AudioCycle, borrowing InputChannels, inout OutputChannels) -> Void
) {
    guard status.has(.hasDestination), var audio = core.value.begin(cycle, status) else {
        return cycle.outputs.silence(core.value.outputCount)
    }
    let bypass = core.value.prepareFilter(cycle, audio, status)
    if bypass?.value.begin(&audio) ?? true {
        let (taken, given) = (cycle.inputs, cycle.outputs)
        let inputs = InputChannels(taken, count: core.value.inputCount)
        var outputs = OutputChannels(given, count: core.value.outputCount)
        block(&core.value.state.value, audio, inputs, &outputs)
        outputs.silenceRest()
    }
    if let bypass { bypass.value.finish(cycle) }
}

extension PortCore {
    /// Gives silence to inputs without a buffer, and to all when there is no link: never an old buffer.
    @_noLocks
    @inline(__always)
    fileprivate func prepareInputs(_ buffers: CycleBuffers) {
        let isLinked = isLinked.load(ordering: .relaxed)
        for channel in 0..<inputCount where !isLinked || buffers[channel] == nil { buffers.put(silence, at: channel) }
    }

    /// Gives every channel a buffer, with what is to be heard in it.
    ///
    /// - Returns: the bypass, if it has anything to do.
    @_noLocks
    @inline(__always)
    func prepareFilter(_ cycle: GraphCycle, _ audio: AudioCycle, _ status: PortStatus) -> Cell<BypassCore>? {
        if let fades = inputFades {
            fades.value.pass(cycle.inputs, audio, isLinked: isLinked.load(ordering: .relaxed))
        } else {
            prepareInputs(cycle.inputs)
        }
        prepareOutputs(cycle.outputs)
        guard !status.isPlain, let bypass, bypass.value.turn.takeForCycle() else { return nil }
        return bypass
    }
}

extension RealtimeCall {
    /// - Parameter fades: whether what comes is faded.
    static func filter<State: ~Copyable>(_ holder: FilterBlockHolder<State>, fades: Bool) -> RealtimeCall {
        let body = FilterBodyHolder(body: fades ? runFadingFilter : runFilter)
        return RealtimeCall(body: ClosureWords(of: body), block: ClosureWords(of: holder))
    }
}
