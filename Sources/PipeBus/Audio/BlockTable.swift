// SPDX-License-Identifier: MIT
import CAudioKernels
import RealtimeKit

/// The block of each of several channels in this cycle, as C takes them: a row of addresses.
///
/// A view: the port's memory owns the row.
///
/// - Thread: audio.
@safe struct BlockTable {
    let bases: Cells<UnsafeMutablePointer<Float>>

    init(_ bases: Cells<UnsafeMutablePointer<Float>>) { unsafe self.bases = unsafe bases }

    @_noLocks
    @inline(__always)
    func block(_ index: Int, _ frameCount: Int) -> SampleBlock {
        unsafe SampleBlock(bases[index], frameCount: frameCount)
    }

    @_noLocks
    @inline(__always)
    func set(_ index: Int, to block: SampleBlock) { unsafe bases[index] = block.base }

    @_noLocks
    @inline(__always)
    func isSame(_ index: Int, as block: SampleBlock) -> Bool { unsafe bases[index] == block.base }

    /// Measures several channels together; see `cak_measure.h`.
    ///
    /// - Parameters:
    ///   - first: the first channel.
    ///   - count: channels, 1 or more.
    @_noLocks
    @inline(__always)
    func measure(_ first: Int, count: Int, _ frameCount: Int, peak: inout Float, energy: inout Double) {
        let channels = unsafe UnsafeRawPointer(bases.pointer(at: first))
            .assumingMemoryBound(to: UnsafeMutablePointer<Float>?.self)
        unsafe cak_measure_channels(
            channels, UInt32(truncatingIfNeeded: count), UInt32(truncatingIfNeeded: frameCount), &peak, &energy)
    }
}
