// SPDX-License-Identifier: MIT
import RealtimeKit
import Synchronization

/// Puts the input of a filter and its auxiliary inputs together for a cycle, of one age.
///
/// The auxiliary inputs' receivers wait for the filter's input, which is their least latency. Where they hold more, the filter's
/// input waits here.
///
/// - Thread: audio. Owned by ``AuxiliaryMemory``.
struct AuxiliaryCore: ~Copyable {
    // Set once.
    private let inputCount: Int
    let sounds: Cells<AuxiliarySound>
    /// Number of auxiliary inputs.
    let count: Int
    /// The row of all channels.
    private let row: CycleBuffers
    private let silence: SampleBlock
    /// A block for each input, and a spare one.
    private let scratch: BlockPool
    /// The greatest delay, in frames; 0 if nothing is aligned.
    private let capacity: Int

    // The delay of the filter's input.
    private var line: DelayLine
    private var delay = 0
    private var oldDelay = 0
    private var crossfade = Crossfade()
    private var next: UInt64 = 0

    /// The age of the filter's input, in frames, from the control side.
    let inputAge = Atomic<Int>(0)
    /// The delay, for the control side.
    let addedFrames = Atomic<Int>(0)

    @_noLocks
    init(
        inputCount: Int, sounds: Cells<AuxiliarySound>, count: Int, row: CycleBuffers, silence: SampleBlock,
        scratch: BlockPool, line: DelayMemory?, capacity: Int
    ) {
        self.inputCount = inputCount
        self.sounds = sounds
        self.count = count
        self.row = row
        self.silence = silence
        self.scratch = scratch
        self.line = DelayLine(line)
        self.capacity = capacity
    }

    /// Puts all channels of a cycle together.
    ///
    /// - Parameters:
    ///   - inputs: each must have a buffer.
    ///   - isLinked: whether the filter's input has a source.
    ///   - isAfterPause: whether the stored sound is of another time.
    @_noLocks
    mutating func collect(
        _ inputs: CycleBuffers, _ cycle: AudioCycle, isLinked: Bool, isAfterPause: Bool
    ) -> CycleBuffers {
        let frameCount = cycle.frameCount
        let inputAge = inputAge.load(ordering: .relaxed)
        var needed = -1
        for index in 0..<count {
            let sound = sounds.cell(index)
            sound.value.find(cycle)
            for channel in 0..<sound.value.channelCount {
                row.put(
                    sound.value.isPresent ? sound.value.block(channel, frameCount) : silence,
                    at: sound.value.firstChannel + channel)
            }
            if sound.value.isPresent, sound.value.isAligned { needed = max(needed, max(sound.value.age - inputAge, 0)) }
        }
        // An input that is not there is of no age. What waits for nothing any more goes on waiting until a pause.
        let kept = isAfterPause ? 0 : delay
        let target = needed >= 0 && isLinked ? min(needed, capacity) : kept
        let length = max(cycle.sampleRate / 100, 1)
        keepTime(cycle, isAfterPause: isAfterPause)
        if isAfterPause {
            delay = target
        } else if target != delay, !crossfade.isRunning(length: length) {
            oldDelay = delay
            delay = target
            crossfade.start()
        }
        addedFrames.store(delay, ordering: .relaxed)
        for channel in 0..<inputCount { row.put(delayed(inputs.whole(channel), channel, length), at: channel) }
        line.advance(by: frameCount)
        crossfade.advance(by: frameCount, length: length)
        return row.resized(to: frameCount)
    }

    @_noLocks
    private func delayed(_ block: SampleBlock, _ channel: Int, _ length: Int) -> SampleBlock {
        guard line.memory != nil else { return block }
        let isFading = crossfade.isRunning(length: length)
        if delay == 0, !isFading {
            line.storeUncached(block, channel)
            return block
        }
        line.write(block, channel)
        let place = scratch.block(channel, block.frameCount)
        line.read(into: place, channel, delay: delay, origin: line.origin)
        if isFading {
            let old = scratch.block(inputCount, block.frameCount)
            line.read(into: old, channel, delay: oldDelay, origin: line.origin)
            crossfade.mix(from: old, to: place, into: place, length: length)
        }
        return place
    }

    /// Stores silence in place of frames that the filter did not have.
    @_noLocks
    private mutating func keepTime(_ cycle: AudioCycle, isAfterPause: Bool) {
        let gap = cycle.position > next ? cycle.position &- next : 0
        next = cycle.position &+ UInt64(truncatingIfNeeded: cycle.frameCount)
        if isAfterPause || gap > UInt64(truncatingIfNeeded: AudioCycle.maximumFrameCount) {
            line.forget()
            crossfade.end()
        } else if gap > 0 {
            line.skip(silence.prefix(Int(truncatingIfNeeded: gap)), channels: inputCount)
        }
    }
}
