// SPDX-License-Identifier: MIT
import RealtimeKit

/// The fades of a stream's channels: sound that is cut off decays, and sound that begins again is faded in.
///
/// A view: the stream's memory owns what it points to.
struct StreamFades {
    private let fades: Cells<ChannelFade>
    private let lastSamples: Cells<Float>
    private let count: Int
    /// Zeros, never written; a block on the way; and sound before it is faded. Each is of the longest cycle.
    private let silence: SampleBlock
    private let spare: SampleBlock
    private let raw: SampleBlock

    /// - Parameter blocks: three blocks for the use of all channels.
    @_noLocks
    init(_ fades: Cells<ChannelFade>, lastSamples: Cells<Float>, count: Int, blocks: BlockPool, from first: Int = 0) {
        self.fades = fades
        self.lastSamples = lastSamples
        self.count = count
        silence = blocks.block(first, AudioCycle.maximumFrameCount)
        spare = blocks.block(first + 1, AudioCycle.maximumFrameCount)
        raw = blocks.block(first + 2, AudioCycle.maximumFrameCount)
    }

    /// The block to put sound into that is to go to a place: the place itself, unless a fade is running.
    ///
    /// After it is filled, call ``pass(_:channel:to:_:)``.
    @_noLocks
    func block(forSoundAt place: SampleBlock, channel: Int, _ fadeLength: Int) -> SampleBlock {
        fades[channel].isWhole(fadeLength: fadeLength) ? place : raw.prefix(place.frameCount)
    }

    @_noLocks
    func pass(_ sound: SampleBlock, channel: Int, to place: SampleBlock, _ fadeLength: Int) {
        if sound.isSame(as: place) {
            lastSamples[channel] = place.last
        } else {
            _ = fade(sound, channel, place, fadeLength)
        }
    }

    /// Whether the sound of all channels passes unchanged.
    @_noLocks
    func areWhole(_ fadeLength: Int) -> Bool {
        for channel in 0..<count where !fades[channel].isWhole(fadeLength: fadeLength) { return false }
        return true
    }

    /// Takes note of a channel's last sample, of sound that passed unchanged.
    @_noLocks
    func note(last: Float, channel: Int) { lastSamples[channel] = last }

    /// Fills a place where there is no sound.
    @_noLocks
    func rest(channel: Int, at place: SampleBlock, _ fadeLength: Int) {
        if !fade(nil, channel, place, fadeLength).isSame(as: place) { place.clear() }
    }

    @_noLocks
    private func fade(_ sound: SampleBlock?, _ channel: Int, _ place: SampleBlock, _ fadeLength: Int) -> SampleBlock {
        fades[channel].pass(
            sound, isLeaving: false, last: lastSamples.cell(channel), place: place,
            spare: spare.prefix(place.frameCount), silence: silence.prefix(place.frameCount), fadeLength)
    }

    /// What follows on any channel does not continue the sound before.
    @_noLocks
    func cut() {
        for channel in 0..<count { fades[channel].cut(last: lastSamples[channel]) }
    }

    /// As ``cut()``, of one channel, whose last sample is another one than the last that passed.
    @_noLocks
    func cut(channel: Int, last: Float) {
        lastSamples[channel] = last
        fades[channel].cut(last: last)
    }

    /// Forgets the sound before, of which nothing decays any more. What follows is faded in.
    @_noLocks
    func forget() {
        for channel in 0..<count { fades[channel] = ChannelFade() }
    }

    /// Lets the sound of another stream decay, of as many channels. It is not used any more.
    @_noLocks
    func takeOver(from other: StreamFades) {
        for channel in 0..<count {
            fades[channel] = other.fades[channel]
            lastSamples[channel] = other.lastSamples[channel]
        }
        cut()
    }

    /// Lets the sound of all channels begin without a fade, while other sound may decay.
    @_noLocks
    func beginWholeBesideDecay(_ fadeLength: Int) {
        for channel in 0..<count { fades[channel].beginBesideDecay(fadeLength: fadeLength) }
    }

    /// Lets the sound of all channels begin without a fade.
    @_noLocks
    func beginWhole(_ fadeLength: Int) {
        for channel in 0..<count { fades[channel].begin(fadeLength: fadeLength) }
    }
}
