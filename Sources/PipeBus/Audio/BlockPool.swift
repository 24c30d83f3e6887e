// SPDX-License-Identifier: MIT
import RealtimeKit

/// Memory for a number of blocks, each for a cycle of any length.
///
/// A view: the port's memory owns the samples.
///
/// - Thread: audio.
struct BlockPool {
    private let samples: Cells<Float>

    /// - Parameter first: the number of the pool's first block.
    @_noLocks
    @inline(__always)
    init(_ samples: Cells<Float>, from first: Int = 0) {
        self.samples = samples.suffix(from: first * AudioCycle.maximumFrameCount)
    }

    /// Number of samples in a pool of so many blocks.
    static func sampleCount(blocks: Int) -> Int { blocks * AudioCycle.maximumFrameCount }

    /// A block for this cycle, by its number. It still holds the samples of an earlier cycle.
    @_noLocks
    @inline(__always)
    func block(_ index: Int, _ frameCount: Int) -> SampleBlock {
        unsafe SampleBlock(samples.pointer(at: index * AudioCycle.maximumFrameCount), frameCount: frameCount)
    }

    /// A block by its number among the blocks from `first` on. These lie close together, because each page that is
    /// touched costs.
    @_noLocks
    @inline(__always)
    func packedBlock(_ index: Int, after first: Int, _ frameCount: Int) -> SampleBlock {
        let start = first * AudioCycle.maximumFrameCount + index * ((frameCount + 15) & ~15)
        return unsafe SampleBlock(samples.pointer(at: start), frameCount: frameCount)
    }
}
