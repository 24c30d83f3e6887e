// SPDX-License-Identifier: MIT

/// A delay of several channels: blocks go in, and come out so many frames later.
///
/// It counts the frames that went in. All channels of a cycle go through, and then ``advance(by:)`` moves on to the next.
/// What is missed goes in as silence, so the line keeps the clock's time.
///
/// - Thread: audio.
struct DelayLine {
    /// `nil`: nothing is kept, and what goes in comes out at once.
    var memory: DelayMemory?
    /// Frames that went in.
    private(set) var written = 0
    /// What went in before this counts as silence.
    private(set) var origin = 0

    @_noLocks
    init(_ memory: DelayMemory? = nil) { self.memory = memory }

    /// Forgets what went in.
    @_noLocks
    @inline(__always)
    mutating func forget() { origin = written }

    // MARK: One cycle

    /// Puts a channel's block in.
    @_noLocks
    @inline(__always)
    func write(_ block: SampleBlock, _ channel: Int) {
        guard let memory else { return }
        let (first, rest) = memory.stretch(channel, from: written, block.frameCount)
        first.copy(from: block)
        if rest.frameCount > 0 { rest.copy(from: block.part(from: first.frameCount, rest.frameCount)) }
    }

    /// The same for a block that is not likely to be read: past the caches.
    @_noLocks
    @inline(__always)
    func putAway(_ block: SampleBlock, _ channel: Int) {
        guard let memory else { return }
        let (first, rest) = memory.stretch(channel, from: written, block.frameCount)
        first.putAway(block)
        if rest.frameCount > 0 { rest.putAway(block.part(from: first.frameCount, rest.frameCount)) }
    }

    /// Fills a block with what is due in this cycle.
    ///
    /// - Parameters:
    ///   - delay: in frames. The line holds that and a cycle.
    ///   - origin: what went in before is silent.
    @_noLocks
    @inline(__always)
    func read(into block: SampleBlock, _ channel: Int, delay: Int, origin: Int) {
        guard let memory else { return }
        let count = written - delay
        let silent = count < origin ? min(origin - count, block.frameCount) : 0
        block.prefix(silent).clear()
        let sounding = block.part(from: silent, block.frameCount - silent)
        let (first, rest) = memory.stretch(channel, from: count + silent, sounding.frameCount)
        sounding.prefix(first.frameCount).copy(from: first)
        if rest.frameCount > 0 { sounding.part(from: first.frameCount, rest.frameCount).copy(from: rest) }
    }

    /// After all channels of a cycle.
    @_noLocks
    @inline(__always)
    mutating func advance(by frameCount: Int) { written += frameCount }

    // MARK: Between cycles

    /// Lets silence pass in place of frames that were missed.
    ///
    /// - Parameter silence: as many frames of it.
    @_noLocks
    mutating func skip(_ silence: SampleBlock, channels: Int) {
        for channel in 0..<channels { write(silence, channel) }
        advance(by: silence.frameCount)
    }

    /// Silences what came out in the last cycle.
    @_noLocks
    func clearLast(_ channel: Int, delay: Int, _ frameCount: Int) {
        guard let memory else { return }
        let (first, rest) = memory.stretch(channel, from: written - frameCount - delay, frameCount)
        first.clear()
        rest.clear()
    }

    /// Raises `peak` to the largest magnitude of what went in in the last cycle.
    @_noLocks
    func measureLast(_ channel: Int, _ frameCount: Int, peak: inout Float) {
        guard let memory else { return }
        let (first, rest) = memory.stretch(channel, from: written - frameCount, frameCount)
        var energy = 0.0
        first.measure(peak: &peak, energy: &energy)
        if rest.frameCount > 0 { rest.measure(peak: &peak, energy: &energy) }
    }
}
