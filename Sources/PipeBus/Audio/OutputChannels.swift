// SPDX-License-Identifier: MIT

/// Where the samples of this cycle go, a span of 32-bit floats for each channel, silent at first. Full scale is −1…1.
///
/// - Thread: audio. Valid only during the process block that is given it.
/// - Realtime: safe.
@safe public struct OutputChannels: ~Copyable, ~Escapable {
    // Inlinable down to the pointers: a block that is optimised then checks the channel and makes the span in place.
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

    /// The samples of one channel, 0..<``count``.
    public subscript(channel: Int) -> MutableSpan<Float> {
        @_noLocks
        @inlinable
        @_lifetime(&self)
        mutating get {
            precondition(channel >= 0 && channel < count, "no such output channel")
            let span = unsafe MutableSpan(_unsafeStart: base[channel], count: frameCount)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }
}
