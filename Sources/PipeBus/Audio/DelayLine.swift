// SPDX-License-Identifier: MIT

/// A delay of several channels: a block comes out a number of frames after it was stored.
///
/// The line counts the stored frames. First all channels of a cycle are stored and read; then ``advance(by:)`` moves
/// on. Missed frames are stored as silence, so the line keeps the clock's time.
///
/// - Thread: audio.
struct DelayLine {
    /// The memory; `nil`: nothing is stored, and the delay is 0.
    var memory: DelayMemory?
    /// Number of stored frames.
    private(set) var written = 0
    /// Frames before this one count as silence.
    private(set) var origin = 0

    @_noLocks
    init(_ memory: DelayMemory? = nil) { self.memory = memory }

    /// Resets the line: everything stored counts as silence.
    @_noLocks
    @inline(__always)
    mutating func forget() { origin = written }

    // MARK: One cycle

    /// Stores a channel's block.
    @_noLocks
    @inline(__always)
    func write(_ block: SampleBlock, _ channel: Int) {
        guard let memory else { return }
        let (first, rest) = memory.stretch(channel, from: written, block.frameCount)
        first.copy(from: block)
        if rest.frameCount > 0 { rest.copy(from: block.part(from: first.frameCount, rest.frameCount)) }
    }

    /// Stores a block that is not likely to be read, past the caches.
    @_noLocks
    @inline(__always)
    func storeUncached(_ block: SampleBlock, _ channel: Int) {
        guard let memory else { return }
        let (first, rest) = memory.stretch(channel, from: written, block.frameCount)
        first.copyUncached(block)
        if rest.frameCount > 0 { rest.copyUncached(block.part(from: first.frameCount, rest.frameCount)) }
    }

    /// Fills a block with the delayed sound of this cycle.
    ///
    /// - Parameters:
    ///   - delay: in frames. The line's memory must hold the delay and a cycle.
    ///   - origin: frames before this one are silent.
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

    /// Moves on after all channels of a cycle.
    @_noLocks
    @inline(__always)
    mutating func advance(by frameCount: Int) { written += frameCount }

    // MARK: Between cycles

    /// Stores silence in place of missed frames.
    ///
    /// - Parameter silence: a block of that many frames.
    @_noLocks
    mutating func skip(_ silence: SampleBlock, channels: Int) {
        for channel in 0..<channels { write(silence, channel) }
        advance(by: silence.frameCount)
    }

    /// Moves back, because the last frames are given once more.
    @_noLocks
    mutating func rewind(by frameCount: Int) {
        written = max(written - frameCount, 0)
        origin = min(origin, written)
    }

    /// Silences the sound that was read in the last cycle.
    @_noLocks
    func clearLast(_ channel: Int, delay: Int, _ frameCount: Int) {
        guard let memory else { return }
        let (first, rest) = memory.stretch(channel, from: written - frameCount - delay, frameCount)
        first.clear()
        rest.clear()
    }

    /// Raises `peak` to the largest magnitude of the last cycle's input.
    @_noLocks
    func measureLast(_ channel: Int, _ frameCount: Int, peak: inout Float) {
        guard let memory else { return }
        let (first, rest) = memory.stretch(channel, from: written - frameCount, frameCount)
        var energy = 0.0
        first.measure(peak: &peak, energy: &energy)
        if rest.frameCount > 0 { rest.measure(peak: &peak, energy: &energy) }
    }
}
