// SPDX-License-Identifier: MIT
import CAudioKernels
import RealtimeKit

/// The fades of a filter's input, against clicks: sound that begins is faded in, and sound that is cut off decays.
struct FilterInputFades: ~Copyable {
    // Set once.
    private let count: Int
    private let microseconds: Int
    private let fades: OwnedCells<ChannelFade>
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
        fades = OwnedCells(repeating: ChannelFade(), count: count)
        lastSamples = OwnedCells(repeating: 0, count: count)
        samples = OwnedCells(repeating: 0, count: BlockPool.sampleCount(blocks: count + 1))
    }

    /// Puts the faded input in place of the input.
    ///
    /// - Parameters:
    ///   - isLinked: without a link the input is not heard.
    ///   - isAfterPause: whether the fades are of another time.
    @_noLocks
    mutating func pass(_ buffers: CycleBuffers, _ audio: AudioCycle, isLinked: Bool, isAfterPause: Bool) {
        let length = audio.sampleRate * microseconds / 1_000_000
        if isAfterPause || length != fadeLength { begin(length) }
        let frameCount = audio.frameCount
        for channel in 0..<count {
            let block = isLinked ? buffers[channel] : nil
            let channelFade = fades.cells.cell(channel)
            if let block, channelFade.value.isWhole(fadeLength: length) {
                lastSamples.cells[channel] = block.last
            } else if block == nil, channelFade.value.isSilent(fadeLength: length) {
                buffers.put(silence, at: channel)
            } else {
                let pool = BlockPool(samples.cells)
                let heard = channelFade.value.pass(
                    block, isLeaving: false, isLink: true, last: lastSamples.cells.cell(channel),
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
        for channel in 0..<count { fades.cells[channel] = ChannelFade() }
    }
}
