// SPDX-License-Identifier: MIT
import RealtimeKit

/// The fade of a lane that is held silent, or was until a moment ago, after its delay line.
///
/// Two sources are exchanged without a gap by it: one is held from the cycle in which the other one no longer is. Both fades are the
/// same raised cosine, so that their gains add up to 1 in each frame.
///
/// - Thread: audio.
struct HoldFade {
    private(set) var isHeld = false
    /// The fade from one to the other.
    private var fade = Crossfade()

    @_noLocks
    init() {}

    /// Whether the sound passes unchanged.
    @_noLocks
    @inline(__always)
    func isOpen(length: Int) -> Bool { !isHeld && !fade.isRunning(length: length) }

    /// Whether nothing passes.
    @_noLocks
    @inline(__always)
    func isClosed(length: Int) -> Bool { isHeld && !fade.isRunning(length: length) }

    /// Starts a new source, without a fade.
    @_noLocks
    mutating func begin(isHeld: Bool) {
        self.isHeld = isHeld
        fade.end()
    }

    /// Follows the settings. A change within a fade goes back from its present gain: the curve is symmetrical.
    @_noLocks
    mutating func follow(isHeld: Bool, length: Int) {
        guard isHeld != self.isHeld else { return }
        self.isHeld = isHeld
        fade.turn(length: length)
    }

    /// The part of a block that passes.
    ///
    /// - Parameter place: memory for the result. It may be the block.
    @_noLocks
    func pass(_ block: SampleBlock, place: SampleBlock, silence: SampleBlock, length: Int) -> SampleBlock {
        if block.isSame(as: silence) { return block }
        guard fade.isRunning(length: length) else { return isHeld ? silence : block }
        if isHeld {
            fade.fadeOut(block, into: place, length: length)
        } else {
            fade.fadeIn(block, into: place, length: length)
        }
        return place
    }

    @_noLocks
    @inline(__always)
    mutating func advance(by frameCount: Int, length: Int) { fade.advance(by: frameCount, length: length) }
}
