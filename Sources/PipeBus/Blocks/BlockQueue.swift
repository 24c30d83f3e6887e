// SPDX-License-Identifier: MIT

/// The sound that blocks of a fixed size have made, and that no cycle has taken yet.
///
/// Sound that is cut off decays, and sound after a gap is faded in: both are done when it is put in, so that what is taken out is
/// ready.
///
/// - Thread: audio. The port's memory owns what it points to.
struct BlockQueue {
    private let channelCount: Int
    private let fades: StreamFades
    /// A block for sound on the way.
    private let place: SampleBlock
    private var line: DelayLine
    /// Number of frames that wait.
    private(set) var frameCount = 0

    @_noLocks
    init(channelCount: Int, line: DelayMemory, fades: StreamFades, place: SampleBlock) {
        self.channelCount = channelCount
        self.line = DelayLine(line)
        self.fades = fades
        self.place = place
    }

    /// Removes everything, and puts silence in. What follows begins without a fade.
    @_noLocks
    mutating func restart(silentFrames: Int, _ fadeLength: Int) {
        line.forget()
        frameCount = silentFrames
        fades.beginWhole(fadeLength)
    }

    /// Puts a block in, at the end.
    @_noLocks
    mutating func append(_ sound: CycleBuffers, _ fadeLength: Int) {
        var first = 0
        while first < sound.frameCount {
            let count = min(sound.frameCount - first, AudioCycle.maximumFrameCount)
            for channel in 0..<channelCount {
                let part = sound.whole(channel).part(from: first, count)
                let isWhole = fades.block(forSoundAt: part, channel: channel, fadeLength).isSame(as: part)
                let ready = isWhole ? part : place.prefix(count)
                fades.pass(part, channel: channel, to: ready, fadeLength)
                line.write(ready, channel)
            }
            line.advance(by: count)
            first += count
        }
        frameCount += sound.frameCount
    }

    /// Puts silence in, at the end: the last sound decays into it, and what follows is faded in.
    @_noLocks
    mutating func appendSilence(_ silentFrames: Int, _ fadeLength: Int) {
        var rest = silentFrames
        while rest > 0 {
            let count = min(rest, AudioCycle.maximumFrameCount)
            let ready = place.prefix(count)
            for channel in 0..<channelCount {
                fades.rest(channel: channel, at: ready, fadeLength)
                line.write(ready, channel)
            }
            line.advance(by: count)
            rest -= count
        }
        frameCount += silentFrames
    }

    /// Removes frames at the beginning: their time has passed.
    @_noLocks
    mutating func drop(_ count: Int) { frameCount -= count }

    /// Removes frames at the end: the sound before them decays under what follows, which is faded in.
    @_noLocks
    mutating func takeBack(_ count: Int) {
        line.rewind(by: count)
        frameCount -= count
        for channel in 0..<channelCount {
            let last = place.prefix(1)
            line.read(into: last, channel, delay: 1, origin: line.origin)
            fades.cut(channel: channel, last: last.last)
        }
    }

    /// Fills a cycle from the beginning. There must be as many frames.
    @_noLocks
    mutating func give(to outputs: CycleBuffers) {
        let (count, waiting) = (outputs.frameCount, frameCount)
        assert(waiting >= count, "a cycle is given what waits")
        for channel in 0..<channelCount {
            line.read(into: outputs.whole(channel), channel, delay: waiting, origin: line.origin)
        }
        frameCount -= count
    }
}
