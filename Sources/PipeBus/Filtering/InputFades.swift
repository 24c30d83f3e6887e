// SPDX-License-Identifier: MIT
import CAudioKernels
import RealtimeKit

/// What takes the click out of what a filter is given: sound that begins is faded in, and what is cut off dies away.
struct InputFades: ~Copyable {
    // Set once.
    private let count: Int
    private let microseconds: Int
    private let channels: OwnedCells<ChannelState>
    private let lastSamples: OwnedCells<Float>
    private let samples: OwnedCells<Float>
    private let silence: SampleBlock

    // Audio thread only.
    private var fadeLength = 0

    init(count: Int, fade: Fade, silence: SampleBlock) {
        cak_prepare()
        self.count = count
        microseconds = fade.microseconds
        self.silence = silence
        channels = OwnedCells(repeating: ChannelState(), count: count)
        lastSamples = OwnedCells(repeating: 0, count: count)
        samples = OwnedCells(repeating: 0, count: BlockPool.sampleCount(blocks: count + 1))
    }

    /// Puts in place of what comes what is to be heard of it.
    ///
    /// - Parameter isLinked: nothing that comes is to be heard otherwise.
    @_noLocks
    mutating func pass(_ buffers: CycleBuffers, _ audio: AudioCycle, isLinked: Bool) {
        let length = audio.sampleRate * microseconds / 1_000_000
        // What was before belongs to another time.
        let isNew = audio.isDiscontinuous && audio.missedFrames == 0
        if isNew || length != fadeLength { begin(length) }
        let frameCount = audio.frameCount
        for channel in 0..<count {
            let block = isLinked ? buffers[channel] : nil
            let state = channels.cells.cell(channel)
            if let block, state.value.isWhole(fadeLength: length) {
                lastSamples.cells[channel] = block.last
            } else if block == nil, state.value.isSilent(fadeLength: length) {
                buffers.put(silence, at: channel)
            } else {
                let pool = BlockPool(samples.cells)
                let heard = state.value.pass(
                    block, isLeaving: false, last: lastSamples.cells.cell(channel),
                    place: pool.block(channel, frameCount), spare: pool.block(count, frameCount),
                    silence: silence.prefix(frameCount), length)
                buffers.put(heard, at: channel)
            }
        }
    }

    @_noLocks
    @inline(never)
    private mutating func begin(_ length: Int) {
        fadeLength = length
        for channel in 0..<count { channels.cells[channel] = ChannelState() }
    }
}
