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

/// What a receiver does in each cycle: mixes its lanes and hands the mix over.
@_noLocks
@Sendable private func runReceiver(
    _ core: Cell<PortCore>, _ cycle: GraphCycle,
    _ block: (inout OpaqueState, AudioCycle, borrowing ReceivedMix) -> Void
) {
    guard let receiver = core.value.receiver, let audio = core.value.beginReceiving(receiver, cycle) else { return }
    receiver.value.mixLanes(frameCount: audio.frameCount)
    let mix = ReceivedMix(receiver: receiver, cycle: audio)
    block(&core.value.state.value, audio, mix)
}

/// What a receiver of separate streams does in each cycle.
@_noLocks
@Sendable private func runSeparateReceiver(
    _ core: Cell<PortCore>, _ cycle: GraphCycle,
    _ block: (inout OpaqueState, AudioCycle, borrowing ReceivedSources) -> Void
) {
    guard let receiver = core.value.receiver, let audio = core.value.beginReceiving(receiver, cycle) else { return }
    receiver.value.endMetering()
    let sources = ReceivedSources(receiver: receiver, cycle: audio)
    block(&core.value.state.value, audio, sources)
}

extension PortCore {
    /// Takes note of the cycle and brings the lanes up to it. `nil` when nothing is linked and nothing is on its way: on
    /// 0.3.65 a node also runs when only another one of its group is linked.
    @_noLocks
    @inline(__always)
    fileprivate mutating func beginReceiving(_ receiver: Cell<ReceiverCore>, _ cycle: GraphCycle) -> AudioCycle? {
        guard isLinked.load(ordering: .acquiring) || !receiver.value.soundingLanes.isEmpty else { return nil }
        guard let audio = begin(cycle, loadStatus()) else { return nil }
        receiver.value.advance(cycle.inputs, audio, connectionEpoch: connectionEpoch.load(ordering: .relaxed))
        return audio
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
