// SPDX-License-Identifier: MIT
import CAudioKernels
import RealtimeKit

/// The inputs of a mix as C takes them: for each channel of the mix a row with one input for each lane.
///
/// A view: the receiver's memory owns the inputs.
///
/// - Thread: audio.
@safe struct MixInputs {
    private let inputs: Cells<cak_input>

    @_noLocks
    init(_ inputs: Cells<cak_input>) { unsafe self.inputs = unsafe inputs }

    @_noLocks
    @inline(__always)
    func set(_ index: Int, to block: SampleBlock, _ gain: GainRamp) {
        unsafe inputs[index] = cak_input(
            samples: block.base, start: gain.start, end: gain.end, position: UInt32(truncatingIfNeeded: gain.position),
            length: UInt32(truncatingIfNeeded: gain.length))
    }

    /// Sets another block for the same gain.
    @_noLocks
    @inline(__always)
    func replace(_ index: Int, with block: SampleBlock) {
        unsafe inputs[index].samples = unsafe UnsafePointer(block.base)
    }

    /// Whether an input goes into the mix at unity gain.
    @_noLocks
    @inline(__always)
    func isUnity(_ index: Int) -> Bool { unsafe inputs[index].length == 0 && inputs[index].end == 1 }

    /// Fills a block with the sum of several inputs, each times its gain.
    @_noLocks
    @inline(__always)
    func mix(_ first: Int, count: Int, into block: SampleBlock) {
        unsafe cak_mix(
            block.base, inputs.pointer(at: first), UInt32(truncatingIfNeeded: count),
            UInt32(truncatingIfNeeded: block.frameCount))
    }
}
