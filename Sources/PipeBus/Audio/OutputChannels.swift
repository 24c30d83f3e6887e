// SPDX-License-Identifier: MIT

/// The output of this cycle, a span of 32-bit floats for each channel. Full scale is −1…1.
///
/// A channel that the block does not touch is silent. A channel that is made sample by sample is filled:
///
/// ```swift
/// output.fill(0) { frame in 0.5 * input[0, frame] }
/// ```
///
/// Otherwise a channel is opened by a subscript, and is silent at first. Channels that depend on each other are opened
/// together:
///
/// ```swift
/// var left = output[0]
/// for frame in left.indices { left[frame] += 0.5 }
///
/// output.withChannels(0, 1) { left, right in
///     for frame in left.indices {
///         let (mid, side) = (left[frame] + right[frame], left[frame] - right[frame])
///         left[frame] = 0.5 * (mid + width * side)
///         right[frame] = 0.5 * (mid - width * side)
///     }
/// }
/// ```
///
/// - Thread: audio. Valid only during the process block that is given it.
/// - Realtime: safe.
@safe public struct OutputChannels: ~Copyable, ~Escapable {
    // Inlinable down to the pointers: an optimised block then checks the channel and makes the span in place.
    @usableFromInline let base: UnsafePointer<UnsafeMutablePointer<Float>>
    /// Number of channels; the same in every cycle.
    public let count: Int
    /// Samples in each channel: ``AudioCycle/frameCount``.
    public let frameCount: Int
    /// A bit for each channel that was not written to yet: its buffer holds sound of an earlier cycle.
    ///
    /// It is silenced only when it is known that the block does not fill it, because silencing is one more pass over
    /// memory.
    @usableFromInline var unwritten: UInt64

    /// - Parameter isFilled: whether the buffers hold the block's input.
    @_noLocks
    @_lifetime(borrow base)
    @inline(__always)
    init(base: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int, frameCount: Int, isFilled: Bool) {
        unsafe self.base = unsafe base
        self.count = count
        self.frameCount = frameCount
        unwritten = Self.unwritten(of: count, isFilled: isFilled)
    }

    /// The channels of a cycle, once each has a buffer. After the block ``silenceRest()`` must be called.
    @_noLocks
    @_lifetime(borrow buffers)
    @inline(__always)
    init(_ buffers: CycleBuffers, count: Int, isFilled: Bool = false) {
        unsafe base = buffers.wholeBases
        self.count = count
        frameCount = buffers.frameCount
        unwritten = Self.unwritten(of: count, isFilled: isFilled)
    }

    /// Makes every sample of a channel: calls a function for each frame, in order, and stores its result.
    ///
    /// This is the quickest output, because the buffer need not be silenced first.
    ///
    /// - Parameters:
    ///   - channel: 0..<``count``.
    ///   - sample: takes the frame, 0..<``frameCount``, and returns the sample. Its captures stay on the stack.
    // Not `@_noLocks`, as `withChannels`.
    @inlinable
    @inline(__always)
    public mutating func fill(_ channel: Int, with sample: (_ frame: Int) -> Float) {
        precondition(channel >= 0 && channel < count, "no such output channel")
        unwritten &= ~(1 &<< UInt64(truncatingIfNeeded: channel))
        let samples = unsafe base[channel]
        for frame in 0..<frameCount { unsafe samples[frame] = sample(frame) }
    }

    /// The samples of one channel, 0..<``count``: `var left = output[0]`, and then `left[frame] = …`.
    ///
    /// One channel is open at a time; ``withChannels(_:_:_:)`` opens two, and ``subscript(_:_:)`` writes a single
    /// sample. A sample that the block does not write is silent.
    public subscript(channel: Int) -> MutableSpan<Float> {
        @_noLocks
        @inlinable
        @_lifetime(&self)
        mutating get {
            precondition(channel >= 0 && channel < count, "no such output channel")
            open(channel)
            let span = unsafe MutableSpan(_unsafeStart: base[channel], count: frameCount)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }

    /// Calls a block with the samples of two channels, and lets it change both.
    ///
    /// - Parameters:
    ///   - first: 0..<``count``.
    ///   - second: another channel, 0..<``count``.
    ///   - body: takes two spans of ``frameCount`` samples each. Its captures stay on the stack.
    // Not `@_noLocks`: the compiler would then hold every app's block to the rules for annotated functions, in which a
    // plain loop over a range is an error. Inlined, it may be called by annotated functions.
    @inlinable
    @inline(__always)
    public mutating func withChannels(
        _ first: Int, _ second: Int, _ body: (inout MutableSpan<Float>, inout MutableSpan<Float>) -> Void
    ) {
        precondition(first >= 0 && first < count && second >= 0 && second < count, "no such output channel")
        precondition(first != second, "one channel cannot be opened twice")
        open(first)
        open(second)
        var left = unsafe MutableSpan(_unsafeStart: base[first], count: frameCount)
        var right = unsafe MutableSpan(_unsafeStart: base[second], count: frameCount)
        body(&left, &right)
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
            precondition(channel >= 0 && channel < count, "no such output channel")
            precondition(frame >= 0 && frame < frameCount, "no such frame")
            return isWritten(channel) ? unsafe base[channel][frame] : 0
        }
        @_noLocks
        @inlinable
        @inline(__always)
        set {
            precondition(channel >= 0 && channel < count, "no such output channel")
            precondition(frame >= 0 && frame < frameCount, "no such frame")
            open(channel)
            unsafe base[channel][frame] = newValue
        }
    }
}
