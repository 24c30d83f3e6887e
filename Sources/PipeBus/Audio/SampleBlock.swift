// SPDX-License-Identifier: MIT
import CAudioKernels
import CRealtime

/// The samples of one channel in one cycle.
///
/// A view of memory with another owner: PipeWire's buffers, or a port's own blocks. It is valid during the cycle in
/// which it was made. How two blocks may overlap is asserted in debug builds; release builds check nothing.
///
/// - Thread: audio.
@safe struct SampleBlock {
    /// The address, for C.
    let base: UnsafeMutablePointer<Float>
    let frameCount: Int

    @_noLocks
    @inline(__always)
    init(_ base: UnsafeMutablePointer<Float>, frameCount: Int) {
        unsafe self.base = unsafe base
        self.frameCount = frameCount
    }

    /// The number of frames, as the kernels take it.
    private var frames: UInt32 { @_noLocks @inline(__always) get { UInt32(truncatingIfNeeded: frameCount) } }

    /// The last sample. The block must not be empty.
    var last: Float { @_noLocks @inline(__always) get { unsafe base[frameCount &- 1] } }

    /// Whether both blocks begin at the same address.
    @_noLocks
    @inline(__always)
    func isSame(as other: SampleBlock) -> Bool { unsafe base == other.base }

    /// A part of the block.
    @_noLocks
    @inline(__always)
    func part(from first: Int, _ count: Int) -> SampleBlock {
        let frameCount = frameCount
        assert(first >= 0 && count >= 0 && first + count <= frameCount, "a part lies within its block")
        return unsafe SampleBlock(base + first, frameCount: count)
    }

    @_noLocks
    @inline(__always)
    func prefix(_ count: Int) -> SampleBlock { part(from: 0, count) }

    // MARK: Writing

    @_noLocks
    @inline(__always)
    func clear() { unsafe crt_clear(base, UInt64(truncatingIfNeeded: frameCount)) }

    /// Copies the beginning of another block, which is no shorter and does not overlap this one.
    @_noLocks
    @inline(__always)
    func copy(from source: SampleBlock) {
        checkLength(of: source)
        unsafe cak_copy(base, source.base, frames)
    }

    /// Copies a block that will not be read soon, past the caches (non-temporal stores).
    @_noLocks
    @inline(__always)
    func copyUncached(_ source: SampleBlock) {
        checkLength(of: source)
        unsafe cak_copy_uncached(base, source.base, frames)
    }

    /// Copies another block, faded in along a raised cosine. `cak_fade.h` defines position and length.
    @_noLocks
    @inline(__always)
    func fadeIn(_ source: SampleBlock, position: Int, length: Int) {
        checkLength(of: source)
        unsafe cak_fade_in(
            base, source.base, frames, UInt32(truncatingIfNeeded: position), UInt32(truncatingIfNeeded: length))
    }

    /// Copies another block, faded out along a raised cosine.
    @_noLocks
    @inline(__always)
    func fadeOut(_ source: SampleBlock, position: Int, length: Int) {
        checkLength(of: source)
        unsafe cak_fade_out(
            base, source.base, frames, UInt32(truncatingIfNeeded: position), UInt32(truncatingIfNeeded: length))
    }

    /// Fills the block with the decay of a single sample.
    @_noLocks
    @inline(__always)
    func decay(from last: Float, position: Int, length: Int) {
        unsafe cak_decay(base, last, frames, UInt32(truncatingIfNeeded: position), UInt32(truncatingIfNeeded: length))
    }

    /// Crossfades from one block to another. This block may be either of them.
    @_noLocks
    @inline(__always)
    func crossfade(from old: SampleBlock, to new: SampleBlock, position: Int, length: Int) {
        checkLength(of: old)
        checkLength(of: new)
        unsafe cak_crossfade(
            base, old.base, new.base, frames, UInt32(truncatingIfNeeded: position),
            UInt32(truncatingIfNeeded: length))
    }

    /// Copies the beginning of another block, which does not overlap this one, at half its level.
    @_noLocks
    @inline(__always)
    func copyHalf(of source: SampleBlock) {
        checkLength(of: source)
        var input = unsafe cak_input(samples: source.base, start: 0.5, end: 0.5, position: 0, length: 0)
        unsafe cak_mix(base, &input, 1, frames)
    }

    /// Adds the beginning of another block, which does not overlap this one.
    @_noLocks
    @inline(__always)
    func add(_ other: SampleBlock) {
        checkLength(of: other)
        unsafe cak_add(base, other.base, frames)
    }

    /// Whether every sample is zero.
    var isZero: Bool {
        @_noLocks get {
            var (peak, energy) = (Float(0), 0.0)
            measure(peak: &peak, energy: &energy)
            // Not so for a NaN.
            return peak == 0 && energy == 0
        }
    }

    /// Whether the samples are those of another block, which is no shorter, up to the rounding of a sum in another order.
    @_noLocks
    func isClose(to other: SampleBlock) -> Bool {
        checkLength(of: other)
        var (difference, peak) = (Float(0), Float(0))
        for frame in 0..<frameCount {
            let (own, others) = unsafe (base[frame], other.base[frame])
            // Not so for a NaN, which counts as the same.
            if (own - others).magnitude > difference { difference = (own - others).magnitude }
            if own.magnitude > peak { peak = own.magnitude }
        }
        return difference <= peak * 4e-6
    }

    /// Raises `peak` to the largest magnitude, and adds the sum of the squares to `energy`.
    @_noLocks
    @inline(__always)
    func measure(peak: inout Float, energy: inout Double) { unsafe cak_measure(base, frames, &peak, &energy) }

    @_noLocks
    @inline(__always)
    private func checkLength(of source: SampleBlock) {
        let (own, other) = (frameCount, source.frameCount)
        assert(other >= own, "a block is filled from one that is as long")
    }
}
