// SPDX-License-Identifier: MIT
import CRealtime

/// Silencing of channels that a block does not write.
///
/// A channel is silenced when the block opens it, or else after the block. Before the block would be one pass over
/// memory more, and most blocks make every sample.
extension OutputChannels {
    /// - Parameter count: 1…64, which ``ChannelLayout/maximumCount`` is.
    @_noLocks
    @inline(__always)
    static func unwritten(of count: Int, isFilled: Bool) -> UInt64 {
        isFilled ? 0 : UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- count)
    }

    @_noLocks
    @inlinable
    @inline(__always)
    func isWritten(_ channel: Int) -> Bool { unwritten & (1 &<< UInt64(truncatingIfNeeded: channel)) == 0 }

    /// Silences an existing channel unless it was written to.
    @_noLocks
    @inlinable
    @inline(__always)
    mutating func open(_ channel: Int) {
        if !isWritten(channel) { silence(channel, from: 0) }
    }

    /// Marks a channel as written, and silences it from a frame on.
    @_noLocks
    @usableFromInline
    @inline(never)
    mutating func silence(_ channel: Int, from frame: Int) {
        unwritten &= ~(1 &<< UInt64(truncatingIfNeeded: channel))
        unsafe crt_clear(base[channel] + frame, UInt64(truncatingIfNeeded: frameCount - frame))
    }

    /// Silences the channels that the block did not touch. Called after the block.
    @_noLocks
    @inline(__always)
    mutating func silenceRest() {
        while unwritten != 0 { silence(unwritten.trailingZeroBitCount, from: 0) }
    }

    /// A part of an existing channel, for a caller that writes every sample of the channel.
    @_noLocks
    mutating func part(_ channel: Int, from first: Int, _ count: Int) -> SampleBlock {
        unwritten &= ~(1 &<< UInt64(truncatingIfNeeded: channel))
        return unsafe SampleBlock(base[channel] + first, frameCount: count)
    }
}
