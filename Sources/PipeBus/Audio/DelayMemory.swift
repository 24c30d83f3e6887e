// SPDX-License-Identifier: MIT
import RealtimeKit

/// Past samples of several channels, each in a ring of its own.
///
/// A view: ``DelayStorage`` owns the samples. A place in a ring is given as a count of all frames ever stored.
///
/// - Thread: made on the control side, used on the audio thread.
@safe struct DelayMemory {
    private let base: UnsafeMutablePointer<Float>
    /// The length of each ring, in frames. A power of two.
    let length: Int

    /// - Parameters:
    ///   - samples: a ring for each channel.
    ///   - length: the length of each ring, in frames, a power of two.
    init(_ samples: Cells<Float>, length: Int) {
        unsafe base = samples.pointer(at: 0)
        self.length = length
    }

    /// A part of a ring, as two blocks because it may wrap around the ring's end. The second one is empty if it does
    /// not.
    @_noLocks
    @inline(__always)
    func stretch(_ channel: Int, from count: Int, _ frameCount: Int) -> (SampleBlock, SampleBlock) {
        let (length, ring) = (length, unsafe base + channel &* length)
        assert(frameCount >= 0 && frameCount <= length, "a stretch is no longer than its ring")
        let start = count & (length &- 1)
        let first = min(frameCount, length &- start)
        return unsafe (
            SampleBlock(ring + start, frameCount: first), SampleBlock(ring, frameCount: frameCount &- first)
        )
    }
}
