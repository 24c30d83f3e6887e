// SPDX-License-Identifier: MIT
import CRealtime

/// What a block does not write is silent: a channel is silenced when the block opens it, or else after the block. Not before
/// it, because most blocks make every sample, and each pass over memory costs.
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

    /// Silences a channel unless it was written to. There is such a channel.
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

    /// After the block: silences what it did not touch.
    @_noLocks
    @inline(__always)
    mutating func silenceRest() {
        while unwritten != 0 { silence(unwritten.trailingZeroBitCount, from: 0) }
    }
}
