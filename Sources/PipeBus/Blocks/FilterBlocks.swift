// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// Stands between the cycles of a filter and a block of a fixed size: it gathers input until a block is full, and keeps the
/// block's sound until a cycle needs it.
///
/// Sound leaves ``BlockDelay/frames`` after it came, in every cycle. So as many frames are on the way between two cycles: those
/// that wait for a full block, and those of finished blocks.
///
/// | when | what happens |
/// | --- | --- |
/// | the port begins, or begins again after a pause | silence for as long as the delay; then the first block's sound, as it is |
/// | frames were missed | the beginning of a block that is not full is lost with them, since no block has a gap inside; sound that is finished leaves at its time |
/// | the cycles' length changes, and needs a longer delay | a gap, after the sound that is finished; nothing is lost |
/// | it has been the same for a second, and allows a shorter delay | as many frames are left out |
/// | PipeWire gives a cycle twice | it is processed as any other |
///
/// - Thread: audio. Owned by ``BlockMemory``.
struct FilterBlocks: ~Copyable {
    // Set once.
    private let blockSize: Int
    private let inputCount: Int
    private let fadeMicroseconds: Int
    /// The block's channels, of ``blockSize`` frames each. In place they are the same.
    let inputs: CycleBuffers
    let outputs: CycleBuffers

    private var queue: BlockQueue
    private var delay: BlockDelay
    private var fadeLength = 0
    /// Number of frames until sound of the present delay leaves.
    private var framesOfOldDelay = 0
    /// The delay of the sound that leaves, for the control side.
    let addedFrames: Atomic<Int>

    // The block that is being gathered.
    private var gathered = 0
    private var position: UInt64 = 0
    private var startTime = MonotonicTime(nanoseconds: 0)
    private var missedFrames = 0
    private var isDiscontinuous = true
    /// The end of the last call.
    private var callEnd: UInt64 = 0

    // The cycle.
    private var clock: UInt32 = 0
    private var next: UInt64 = 0
    /// Number of frames of it that are gathered.
    private var taken = 0
    /// Whether the block was not called in the last cycle, because the filter was bypassed.
    private var wasBypassed = false

    @_noLocks
    init(
        blockSize: Int, inputs: CycleBuffers, inputCount: Int, outputs: CycleBuffers, queue: BlockQueue, fade: Fade
    ) {
        self.blockSize = blockSize
        self.inputs = inputs
        self.inputCount = inputCount
        self.outputs = outputs
        self.queue = queue
        fadeMicroseconds = fade.microseconds
        delay = BlockDelay(blockSize: blockSize)
        addedFrames = Atomic(delay.frames)
    }

    // MARK: A cycle

    /// Begins a cycle.
    ///
    /// - Parameter isAfterPause: whether the sound on the way is of another time.
    @_noLocks
    mutating func begin(_ cycle: AudioCycle, isAfterPause: Bool) {
        delay.note(quantum: cycle.frameCount)
        if isAfterPause || wasBypassed {
            restart(cycle, isAfterPause: isAfterPause)
        } else {
            if cycle.isDiscontinuous { isDiscontinuous = true }
            missedFrames += cycle.missedFrames
            if cycle.clock.number != clock || cycle.position > next { skip(to: cycle) }
            follow(cycle)
        }
        note(cycle)
    }

    /// Passes a cycle in which the block is not called, because the filter is bypassed.
    @_noLocks
    mutating func pass(_ cycle: AudioCycle) {
        delay.note(quantum: cycle.frameCount)
        // No sound is on the way, but what the bypass passes on has the delay.
        if delay.grow(phase: 0) == 0 { _ = delay.shrink(sampleRate: cycle.sampleRate) }
        wasBypassed = true
        framesOfOldDelay = 0
        note(cycle)
    }

    @_noLocks
    private mutating func note(_ cycle: AudioCycle) {
        clock = cycle.clock.number
        next = cycle.position &+ UInt64(truncatingIfNeeded: cycle.frameCount)
        taken = 0
        framesOfOldDelay = max(framesOfOldDelay - cycle.frameCount, 0)
        if framesOfOldDelay == 0 { addedFrames.store(delay.frames, ordering: .relaxed) }
    }

    /// Takes more of the cycle's input.
    ///
    /// - Returns: the block's next call, for which ``inputs`` are full; `nil` when the cycle's input is taken.
    @_noLocks
    mutating func nextCall(_ cycle: AudioCycle, _ buffers: CycleBuffers) -> AudioCycle? {
        let count = min(blockSize - gathered, cycle.frameCount - taken)
        if gathered == 0 {
            position = cycle.position &+ UInt64(truncatingIfNeeded: taken)
            startTime = cycle.time(ofFrame: taken)
            // After a call in which a cycle came twice.
            if position != callEnd { isDiscontinuous = true }
        }
        for channel in 0..<inputCount {
            inputs.whole(channel).part(from: gathered, count).copy(
                from: buffers.whole(channel).part(from: taken, count))
        }
        gathered += count
        taken += count
        guard gathered == blockSize else { return nil }
        return AudioCycle(
            cycle, position: position, startTime: startTime, frameCount: blockSize, missedFrames: missedFrames,
            isDiscontinuous: isDiscontinuous)
    }

    /// Keeps the sound that a call has made.
    @_noLocks
    mutating func finishCall() {
        queue.append(outputs, fadeLength)
        callEnd = position &+ UInt64(truncatingIfNeeded: blockSize)
        gathered = 0
        missedFrames = 0
        isDiscontinuous = false
    }

    /// Fills the cycle's output.
    @_noLocks
    mutating func give(to buffers: CycleBuffers) { queue.give(to: buffers) }

    // MARK: Changes

    @_noLocks
    private mutating func restart(_ cycle: AudioCycle, isAfterPause: Bool) {
        fadeLength = cycle.sampleRate * fadeMicroseconds / 1_000_000
        // A bypass waits for the delay that it knows.
        if isAfterPause { delay.restart() } else { _ = delay.grow(phase: 0) }
        wasBypassed = false
        gathered = 0
        missedFrames = cycle.missedFrames
        isDiscontinuous = true
        framesOfOldDelay = 0
        queue.restart(silentFrames: delay.frames, fadeLength)
    }

    /// Goes on after frames that the filter did not have.
    @_noLocks
    @inline(never)
    private mutating func skip(to cycle: AudioCycle) {
        let gap = cycle.position > next ? cycle.position &- next : 0
        if cycle.missedFrames > 0 { missedFrames += gathered }
        gathered = 0
        isDiscontinuous = true
        queue.drop(Int(truncatingIfNeeded: min(gap, UInt64(truncatingIfNeeded: queue.frameCount))))
        framesOfOldDelay = queue.frameCount
        _ = delay.grow(phase: 0)
        queue.appendSilence(delay.frames - queue.frameCount, fadeLength)
    }

    /// Follows the cycle's length.
    @_noLocks
    private mutating func follow(_ cycle: AudioCycle) {
        let growth = delay.grow(phase: gathered)
        if growth > 0 {
            framesOfOldDelay = queue.frameCount
            queue.appendSilence(growth, fadeLength)
        } else if delay.shrink(sampleRate: cycle.sampleRate) {
            shorten()
        }
    }

    /// Leaves out sound, because the delay has shrunk.
    @_noLocks
    @inline(never)
    private mutating func shorten() {
        if gathered % delay.divisor != 0 {
            // Blocks would end at other frames than the delay allows.
            gathered = 0
            isDiscontinuous = true
        }
        let frameCount = delay.frames - gathered
        framesOfOldDelay = min(queue.frameCount, frameCount)
        if queue.frameCount > frameCount {
            queue.takeBack(queue.frameCount - frameCount)
        } else {
            queue.appendSilence(frameCount - queue.frameCount, fadeLength)
        }
    }
}
