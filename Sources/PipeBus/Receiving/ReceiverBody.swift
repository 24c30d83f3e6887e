// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

struct ReceiverBlockHolder<State: ~Copyable> {
    let block: @Sendable (inout State, AudioCycle, borrowing ReceivedMix) -> Void
}

struct SeparateReceiverBlockHolder<State: ~Copyable> {
    let block: @Sendable (inout State, AudioCycle, borrowing ReceivedSources) -> Void
}

private struct ReceiverBodyHolder {
    let body:
        @Sendable (Cell<PortCore>, GraphCycle, (inout OpaqueState, AudioCycle, borrowing ReceivedMix) -> Void) -> Void
}

private struct SeparateReceiverBodyHolder {
    let body:
        @Sendable (
            Cell<PortCore>, GraphCycle, (inout OpaqueState, AudioCycle, borrowing ReceivedSources) -> Void
        ) -> Void
}

/// A cycle of a receiver that mixes: mixes its lanes and hands the mix over.
@_noLocks
@Sendable private func runReceiver(
    _ core: Cell<PortCore>, _ cycle: GraphCycle,
    _ block: (inout OpaqueState, AudioCycle, borrowing ReceivedMix) -> Void
) {
    guard let receiver = core.value.receiver, let audio = core.value.beginReceiving(receiver, cycle) else { return }
    receiver.value.mixLanes(frameCount: audio.frameCount)
    receiver.value.streams.write(receiver, audio)
    let mix = ReceivedMix(receiver: receiver, cycle: audio)
    block(&core.value.state.value, audio, mix)
}

/// A cycle of a receiver of separate streams.
@_noLocks
@Sendable private func runSeparateReceiver(
    _ core: Cell<PortCore>, _ cycle: GraphCycle,
    _ block: (inout OpaqueState, AudioCycle, borrowing ReceivedSources) -> Void
) {
    guard let receiver = core.value.receiver, let audio = core.value.beginReceiving(receiver, cycle) else { return }
    receiver.value.endMetering()
    receiver.value.streams.write(receiver, audio)
    let sources = ReceivedSources(receiver: receiver, cycle: audio)
    block(&core.value.state.value, audio, sources)
}

extension PortCore {
    /// Takes note of the cycle and processes the lanes.
    ///
    /// `nil` when no source is linked and no sound is left to come. On 0.3.65 such a node runs too, if another node of
    /// its group is linked.
    @_noLocks
    @inline(__always)
    fileprivate mutating func beginReceiving(_ receiver: Cell<ReceiverCore>, _ cycle: GraphCycle) -> AudioCycle? {
        guard isLinked.load(ordering: .acquiring) || isFinishing(receiver, cycle) else { return nil }
        guard let audio = begin(cycle, loadStatus()) else { return nil }
        receiver.value.advance(
            cycle.inputs, audio, connectionEpoch: connectionEpoch.load(ordering: .relaxed),
            isAfterPause: tracker.isAfterPause)
        return audio
    }

    /// Whether the rest of the sound still comes out of a receiver without a source.
    ///
    /// PipeWire may not run the receiver until it has a source again, and then runs it before that source is known
    /// here. Then the rest of the sound is void, and the time between is not missed.
    @_noLocks
    @inline(never)
    private mutating func isFinishing(_ receiver: Cell<ReceiverCore>, _ cycle: GraphCycle) -> Bool {
        guard !receiver.value.soundingLanes.isEmpty else { return false }
        if isContinued(by: cycle) { return true }
        receiver.value.soundingLanes = LaneSet()
        return false
    }
}

extension RealtimeCall {
    static func receiver<State: ~Copyable>(_ holder: ReceiverBlockHolder<State>) -> RealtimeCall {
        RealtimeCall(body: ClosureWords(of: ReceiverBodyHolder(body: runReceiver)), block: ClosureWords(of: holder))
    }

    static func receiver<State: ~Copyable>(_ holder: SeparateReceiverBlockHolder<State>) -> RealtimeCall {
        RealtimeCall(
            body: ClosureWords(of: SeparateReceiverBodyHolder(body: runSeparateReceiver)),
            block: ClosureWords(of: holder))
    }
}
