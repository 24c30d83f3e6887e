// SPDX-License-Identifier: MIT
import RealtimeKit

/// The input of this cycle, a span of 32-bit floats for each channel. Full scale is −1…1; samples may exceed it.
///
/// - Thread: audio. Valid only during the process block that is given it.
/// - Realtime: safe.
@safe public struct InputChannels: ~Copyable, ~Escapable {
    // Inlinable down to the pointers: an optimised block then checks the channel and makes the span in place.
    @usableFromInline let base: UnsafePointer<UnsafeMutablePointer<Float>>
    /// Number of channels; the same in every cycle.
    public let count: Int
    /// Samples in each channel: ``AudioCycle/frameCount``.
    public let frameCount: Int

    @_noLocks
    @_lifetime(borrow base)
    init(base: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int, frameCount: Int) {
        unsafe self.base = unsafe base
        self.count = count
        self.frameCount = frameCount
    }

    /// The channels of a cycle, once each has a buffer.
    @_noLocks
    @_lifetime(borrow buffers)
    @inline(__always)
    init(_ buffers: CycleBuffers, count: Int) {
        unsafe base = buffers.wholeBases
        self.count = count
        frameCount = buffers.frameCount
    }

    /// The channels of a mix.
    @_noLocks
    @_lifetime(borrow blocks)
    @inline(__always)
    init(_ blocks: BlockTable, count: Int, frameCount: Int) {
        unsafe base = UnsafePointer(blocks.bases.pointer(at: 0))
        self.count = count
        self.frameCount = frameCount
    }

    /// The samples of one channel, 0..<``count``. A channel without a connection is silent.
    public subscript(channel: Int) -> Span<Float> {
        @_noLocks
        @inlinable
        @_lifetime(copy self)
        get {
            precondition(channel >= 0 && channel < count, "no such input channel")
            return unsafe _overrideLifetime(
                Span(_unsafeStart: UnsafePointer(base[channel]), count: frameCount), copying: self)
        }
    }

    /// One sample. For a whole channel its span is quicker: this subscript looks the channel up for each sample.
    ///
    /// - Parameters:
    ///   - channel: 0..<``count``.
    ///   - frame: 0..<``frameCount``.
    public subscript(channel: Int, frame: Int) -> Float {
        @_noLocks
        @inlinable
        @inline(__always)
        get {
            precondition(channel >= 0 && channel < count, "no such input channel")
            precondition(frame >= 0 && frame < frameCount, "no such frame")
            return unsafe base[channel][frame]
        }
    }
}
