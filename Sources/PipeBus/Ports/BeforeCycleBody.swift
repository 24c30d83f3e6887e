// SPDX-License-Identifier: MIT
import CRealtime
import RealtimeKit

struct BeforeCycleBlockHolder<State: ~Copyable> {
    let block: @Sendable (inout State, AudioCycle) -> Void
}

@unsafe private struct BeforeCycleBodyHolder {
    let body: @Sendable (UnsafeMutableRawPointer, UnsafeRawPointer, (inout OpaqueState, AudioCycle) -> Void) -> Void
}

/// Called in each cycle of each node, also of one that is not connected.
@_noLocks
@Sendable private func runBeforeCycle(
    _ node: UnsafeMutableRawPointer, _ cycle: UnsafeRawPointer, _ block: (inout OpaqueState, AudioCycle) -> Void
) {
    let node = unsafe node.assumingMemoryBound(to: BeforeCycleNode.self)
    let cycle = unsafe cycle.assumingMemoryBound(to: GraphCycle.self)
    let core = unsafe node.pointee.core
    let (clock, position) = unsafe (cycle.pointee.clock, cycle.pointee.position)
    // As for a port: what is longer than any buffer is missed.
    guard unsafe cycle.pointee.frameCount <= AudioCycle.maximumFrameCount,
        unsafe core.pointee.gate.isFirst(
            &node.pointee.mark, clock: clock, position: position, nanoseconds: cycle.pointee.nanoseconds)
    else { return }
    let gap = unsafe core.pointee.tracker.advance(
        clock: clock, sampleRate: cycle.pointee.sampleRate, position: position, frameCount: cycle.pointee.frameCount,
        episode: 0)
    let audio = unsafe AudioCycle(
        cycle, missedFrames: gap.missedFrames,
        isDiscontinuous: gap.isDiscontinuous || cycle.pointee.is_discontinuous, status: PortStatus(rawValue: 0))
    unsafe block(&core.pointee.state.assumingMemoryBound(to: OpaqueState.self).pointee, audio)
}

extension RealtimeCall {
    static func beforeCycle<State: ~Copyable>(_ holder: BeforeCycleBlockHolder<State>) -> RealtimeCall {
        unsafe RealtimeCall(
            body: ClosureWords(of: BeforeCycleBodyHolder(body: runBeforeCycle)), block: ClosureWords(of: holder))
    }
}
