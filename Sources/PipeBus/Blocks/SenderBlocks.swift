// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// Stands between the cycles of a sender and a block of a fixed size: the block is called until a cycle is full, and the surplus is
/// kept for the next one.
///
/// Each frame leaves at the position for which it was made. So nothing is late, but a frame is made before its cycle, by
/// ``BlockDelay/frames`` at most. Frames that are kept and whose time passes without the port, because it missed cycles, are lost.
/// Those that are kept when the port pauses are left out. Where PipeWire gives a cycle twice, the kept frames are not made again: they
/// leave in the second one, earlier than the position for which they were made.
///
/// - Thread: audio. Owned by ``BlockMemory``.
struct SenderBlocks: ~Copyable {
    // Set once.
    private let blockSize: Int
    /// The block's channels, of ``blockSize`` frames each.
    let outputs: CycleBuffers

    private var queue: BlockQueue
    private var delay: BlockDelay
    /// The most by which frames are made before their cycle, for the control side.
    let addedFrames: Atomic<Int>

    /// The position after the last frame that was made.
    private var madeEnd: UInt64 = 0
    private var isDiscontinuous = true
    private var missedFrames = 0
    private var clock: UInt32 = 0
    /// The position after the last cycle.
    private var next: UInt64 = 0

    @_noLocks
    init(blockSize: Int, outputs: CycleBuffers, queue: BlockQueue) {
        self.blockSize = blockSize
        self.outputs = outputs
        self.queue = queue
        delay = BlockDelay(blockSize: blockSize)
        addedFrames = Atomic(delay.frames)
    }

    /// Begins a cycle.
    ///
    /// - Parameter isAfterPause: whether the sound that is kept is of another time.
    @_noLocks
    mutating func begin(_ cycle: AudioCycle, isAfterPause: Bool) {
        delay.note(quantum: cycle.frameCount)
        if isAfterPause {
            delay.restart()
            // No fades: the block makes the sound for its position, whatever was before.
            queue.restart(silentFrames: 0, 0)
            missedFrames = cycle.missedFrames
            isDiscontinuous = true
        } else {
            if cycle.clock.number != clock || cycle.position != next {
                skip(to: cycle)
            } else if cycle.isDiscontinuous {
                isDiscontinuous = true
            }
            // It does not shrink until the port pauses: an app that fetches live sound ahead keeps that much in reserve.
            _ = delay.grow(phase: queue.frameCount)
        }
        clock = cycle.clock.number
        next = cycle.position &+ UInt64(truncatingIfNeeded: cycle.frameCount)
        addedFrames.store(delay.frames, ordering: .relaxed)
    }

    /// - Returns: the block's next call; `nil` when the cycle is full.
    @_noLocks
    mutating func nextCall(_ cycle: AudioCycle) -> AudioCycle? {
        let kept = queue.frameCount
        guard kept < cycle.frameCount else { return nil }
        let position = cycle.position &+ UInt64(truncatingIfNeeded: kept)
        // Where a cycle is repeated, so is the position.
        if position != madeEnd { isDiscontinuous = true }
        madeEnd = position &+ UInt64(truncatingIfNeeded: blockSize)
        return AudioCycle(
            cycle, position: position, startTime: cycle.time(ofFrame: kept), frameCount: blockSize,
            missedFrames: missedFrames, isDiscontinuous: isDiscontinuous)
    }

    /// Keeps the sound that a call has made.
    @_noLocks
    mutating func finishCall() {
        queue.append(outputs, 0)
        missedFrames = 0
        isDiscontinuous = false
    }

    /// Fills the cycle's output.
    @_noLocks
    mutating func give(to buffers: CycleBuffers) { queue.give(to: buffers) }

    /// Goes on after cycles that the sender did not have.
    @_noLocks
    @inline(never)
    private mutating func skip(to cycle: AudioCycle) {
        let gap = cycle.position > next ? cycle.position &- next : 0
        let lost = Int(truncatingIfNeeded: min(gap, UInt64(truncatingIfNeeded: queue.frameCount)))
        queue.drop(lost)
        missedFrames += max(cycle.missedFrames - lost, 0)
        if cycle.clock.number != clock { isDiscontinuous = true }
    }
}
