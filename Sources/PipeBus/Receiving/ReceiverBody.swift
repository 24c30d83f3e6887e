// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit
import Synchronization

struct ReceiverBlockHolder<State: ~Copyable> {
    let block: @Sendable (inout State, AudioCycle, borrowing ReceivedMix) -> Void
}

struct SeparateReceiverBlockHolder<State: ~Copyable> {
    let block: @Sendable (inout State, AudioCycle, borrowing ReceivedSources) -> Void
}

@unsafe private struct ReceiverBodyHolder {
    let body:
        @Sendable (
            UnsafeMutableRawPointer, UnsafeRawPointer, (inout OpaqueState, AudioCycle, borrowing ReceivedMix) -> Void
        ) -> Void
}

@unsafe private struct SeparateReceiverBodyHolder {
    let body:
        @Sendable (
            UnsafeMutableRawPointer, UnsafeRawPointer,
            (inout OpaqueState, AudioCycle, borrowing ReceivedSources) -> Void
        ) -> Void
}

/// What a receiver does in each cycle: mixes its lanes and hands the mix over.
@_noLocks
@Sendable private func runReceiver(
    _ core: UnsafeMutableRawPointer, _ cycle: UnsafeRawPointer,
    _ block: (inout OpaqueState, AudioCycle, borrowing ReceivedMix) -> Void
) {
    let core = unsafe core.assumingMemoryBound(to: PortCore.self)
    let cycle = unsafe cycle.assumingMemoryBound(to: GraphCycle.self)
    let receiver = unsafe core.pointee.receiver.unsafelyUnwrapped
    guard let audio = unsafe core.pointee.beginReceiving(cycle) else { return }
    unsafe receiver.pointee.mixLanes(frameCount: audio.frameCount)
    let mix = unsafe ReceivedMix(receiver: receiver, cycle: audio)
    unsafe block(&core.pointee.state.assumingMemoryBound(to: OpaqueState.self).pointee, audio, mix)
}

/// What a receiver of separate streams does in each cycle.
@_noLocks
@Sendable private func runSeparateReceiver(
    _ core: UnsafeMutableRawPointer, _ cycle: UnsafeRawPointer,
    _ block: (inout OpaqueState, AudioCycle, borrowing ReceivedSources) -> Void
) {
    let core = unsafe core.assumingMemoryBound(to: PortCore.self)
    let cycle = unsafe cycle.assumingMemoryBound(to: GraphCycle.self)
    let receiver = unsafe core.pointee.receiver.unsafelyUnwrapped
    guard let audio = unsafe core.pointee.beginReceiving(cycle) else { return }
    unsafe receiver.pointee.endMetering()
    let sources = unsafe ReceivedSources(receiver: receiver, cycle: audio)
    unsafe block(&core.pointee.state.assumingMemoryBound(to: OpaqueState.self).pointee, audio, sources)
}

extension PortCore {
    /// Takes note of the cycle and brings the lanes up to it. `nil` when nothing is linked and nothing is on its way: on
    /// 0.3.65 a node also runs when only another one of its group is linked.
    @_noLocks
    @inline(__always)
    fileprivate mutating func beginReceiving(_ cycle: UnsafePointer<GraphCycle>) -> AudioCycle? {
        let receiver = unsafe receiver.unsafelyUnwrapped
        let isLinked = unsafe linkedLanes.load(ordering: .acquiring) != 0
        guard unsafe isLinked || receiver.pointee.soundingLanes != 0 else { return nil }
        guard let audio = unsafe begin(cycle, loadStatus()) else { return nil }
        unsafe receiver.pointee.advance(cycle, audio, episode: episode.load(ordering: .relaxed))
        return audio
    }
}

extension RealtimeCall {
    static func receiver<State: ~Copyable>(_ holder: ReceiverBlockHolder<State>) -> RealtimeCall {
        unsafe RealtimeCall(
            body: ClosureWords(of: ReceiverBodyHolder(body: runReceiver)), block: ClosureWords(of: holder))
    }

    static func receiver<State: ~Copyable>(_ holder: SeparateReceiverBlockHolder<State>) -> RealtimeCall {
        unsafe RealtimeCall(
            body: ClosureWords(of: SeparateReceiverBodyHolder(body: runSeparateReceiver)),
            block: ClosureWords(of: holder))
    }
}
