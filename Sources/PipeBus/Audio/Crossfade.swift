// SPDX-License-Identifier: MIT

/// The position of a crossfade or of a decay. Its owner knows its length, which depends on the sample rate.
///
/// - Thread: audio.
struct Crossfade {
    /// Frames that have passed. Before a start and after the end it is past every length.
    private var position = Int.max

    @_noLocks
    init() {}

    @_noLocks
    @inline(__always)
    mutating func start() { position = 0 }

    /// Starts it backwards: one that is running goes back from where it is, because its curve is symmetrical.
    @_noLocks
    mutating func turn(length: Int) { position = isRunning(length: length) ? length - position : 0 }

    /// Ends it at once.
    @_noLocks
    @inline(__always)
    mutating func end() { position = Int.max }

    @_noLocks
    @inline(__always)
    func isRunning(length: Int) -> Bool { position < length }

    /// Whether it was running in the cycle of the last call of ``advance(by:length:)``.
    @_noLocks
    @inline(__always)
    func wasRunning(length: Int, before frameCount: Int) -> Bool { position &- frameCount < length }

    @_noLocks
    @inline(__always)
    mutating func advance(by frameCount: Int, length: Int) {
        position = position < length ? position + frameCount : Int.max
    }

    /// Fills a block with the cycle's part of a running crossfade from one block to another.
    @_noLocks
    @inline(__always)
    func mix(from old: SampleBlock, to new: SampleBlock, into place: SampleBlock, length: Int) {
        place.crossfade(from: old, to: new, position: position, length: length)
    }

    /// Fills a block with the cycle's part of another one that is faded in.
    @_noLocks
    @inline(__always)
    func fadeIn(_ block: SampleBlock, into place: SampleBlock, length: Int) {
        place.fadeIn(block, position: position, length: length)
    }

    /// Fills a block with the cycle's part of another one that is faded out.
    @_noLocks
    @inline(__always)
    func fadeOut(_ block: SampleBlock, into place: SampleBlock, length: Int) {
        place.fadeOut(block, position: position, length: length)
    }

    /// Fills a block with the cycle's part of a running decay of a sample.
    @_noLocks
    @inline(__always)
    func decay(from last: Float, into place: SampleBlock, length: Int) {
        place.decay(from: last, position: position, length: length)
    }
}
