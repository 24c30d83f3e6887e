// SPDX-License-Identifier: MIT

/// Sound in memory of a ``Reader``'s own, until its next call.
///
/// ```swift
/// let block = reader.read(512)
/// for sample in block.samples.indices { peak = max(peak, abs(block.samples[sample])) }
/// ```
///
/// - Thread: the reader's.
/// - Realtime: safe.
@safe public struct ReadBlock: ~Copyable, ~Escapable {
    private let memory: UnsafeMutableRawPointer
    private let isFloat: Bool
    private let isInterleaved: Bool
    private let bytesPerSample: Int
    /// Number of channels.
    public let channelCount: Int
    /// When it was made, and whether it is whole.
    public let result: ReadResult

    @_noLocks
    @_lifetime(borrow memory)
    init(
        _ memory: UnsafeMutableRawPointer, isFloat: Bool, isInterleaved: Bool, bytesPerSample: Int, channelCount: Int,
        result: ReadResult
    ) {
        unsafe self.memory = memory
        self.isFloat = isFloat
        self.isInterleaved = isInterleaved
        self.bytesPerSample = bytesPerSample
        self.channelCount = channelCount
        self.result = result
    }

    /// Number of frames: as many as were asked for.
    public var frameCount: Int { @_noLocks get { result.frameCount } }

    /// The time at which the first frame was made. All latency is already subtracted.
    public var timestamp: Timestamp { @_noLocks get { result.timestamp } }

    /// The 32-bit floats of all channels, in the format's order.
    public var samples: Span<Float> {
        @_noLocks
        @_lifetime(copy self)
        get {
            checkIsFloat()
            return span(from: 0, channelCount &* frameCount)
        }
    }

    /// The 32-bit floats of one channel, 0..<``channelCount``, of a planar format.
    public subscript(channel: Int) -> Span<Float> {
        @_noLocks
        @_lifetime(copy self)
        get {
            checkIsFloat()
            let (isPlanar, channels) = (!isInterleaved || channelCount == 1, channelCount)
            precondition(isPlanar, "the channels of this format are interleaved; read its samples")
            precondition(channel >= 0 && channel < channels, "no such channel of the block")
            return span(from: channel &* frameCount, frameCount)
        }
    }

    /// The samples of any format as bytes.
    public var bytes: Span<UInt8> {
        @_noLocks
        @_lifetime(copy self)
        get {
            let count = channelCount &* frameCount &* bytesPerSample
            return unsafe _overrideLifetime(
                Span(_unsafeStart: memory.assumingMemoryBound(to: UInt8.self), count: count), copying: self)
        }
    }

    @_noLocks
    private func checkIsFloat() {
        let isFloat = isFloat
        precondition(isFloat, "the format has other samples; read its bytes")
    }

    @_noLocks
    @_lifetime(copy self)
    private func span(from first: Int, _ count: Int) -> Span<Float> {
        let samples = unsafe memory.assumingMemoryBound(to: Float.self) + first
        return unsafe _overrideLifetime(Span(_unsafeStart: samples, count: count), copying: self)
    }
}
