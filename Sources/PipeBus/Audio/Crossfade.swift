// SPDX-License-Identifier: MIT

/// Where a crossfade stands, or a sound that dies away. Its length follows from the sample rate, so the owner knows it.
///
/// - Thread: audio.
struct Crossfade {
    /// Frames that have passed. What has ended, or never began, is past every length.
    private var position = Int.max

    @_noLocks
    init() {}

    @_noLocks
    @inline(__always)
    mutating func start() { position = 0 }

    /// Ends it, wherever it is.
    @_noLocks
    @inline(__always)
    mutating func end() { position = Int.max }

    @_noLocks
    @inline(__always)
    func isRunning(length: Int) -> Bool { position < length }

    /// Whether it was running in the cycle that ``advance(by:length:)`` was called for last.
    @_noLocks
    @inline(__always)
    func wasRunning(length: Int, before frameCount: Int) -> Bool { position &- frameCount < length }

    @_noLocks
    @inline(__always)
    mutating func advance(by frameCount: Int, length: Int) {
        if position < length { position += frameCount }
    }

    /// The cycle's part of the way from one block to another. It runs.
    @_noLocks
    @inline(__always)
    func mix(from old: SampleBlock, to new: SampleBlock, into place: SampleBlock, length: Int) {
        place.crossfade(from: old, to: new, position: position, length: length)
    }

    /// The cycle's part of a sample's dying away. It runs.
    @_noLocks
    @inline(__always)
    func decay(from last: Float, into place: SampleBlock, length: Int) {
        place.decay(from: last, position: position, length: length)
    }
}
