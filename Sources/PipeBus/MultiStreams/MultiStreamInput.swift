// SPDX-License-Identifier: MIT
import RealtimeKit

/// The end of a ``MultiStream`` for the thread that writes one of its inputs.
///
/// - Thread: any, one at a time. Release it on a thread that may wait. What was written is still read.
/// - Realtime: safe.
@safe public struct MultiStreamInput: ~Copyable, @unchecked Sendable {
    // @unchecked: one thread uses it. The memory is only kept alive: a class in a struct is not touched in calls that are safe.
    private let memory: MultiStreamMemory
    private let ring: Cell<WriterRing>
    private let shared: Cell<MultiStreamShared>
    private var converter: WriterInput
    private var times: EventQueue<WriterStamp>.Writer
    private var refusedFrames: UInt64 = 0

    /// The form of the samples.
    public let format: StreamFormat

    init(_ memory: MultiStreamMemory, _ index: Int, _ format: StreamFormat) {
        self.memory = memory
        let input = memory.input(index)
        ring = input.ring
        shared = memory.shared(index)
        self.format = format
        // The rate is changed where it is read.
        var plain = format
        plain.sampleRate = nil
        converter = WriterInput(plain, memory: input, graphRate: format.sampleRate ?? 0, ownClockLatency: nil)
        times = memory.times(index).makeWriter()
    }

    deinit { shared.value.setIdle(true) }

    /// Number of frames that were not taken, because the output was too far behind, and of those that were left out, because the output was
    /// past their time.
    public var droppedFrames: UInt64 { @_noLocks get { refusedFrames &+ ring.value.counts.dropped } }

    /// Number of channels that are written.
    public var channelCount: Int { @_noLocks get { converter.channelCount } }

    /// Writes 32-bit floats. What there is no room for is dropped, and counted.
    ///
    /// - Parameters:
    ///   - samples: whole frames of all channels, in the format's order.
    ///   - time: when the first of them was made; now by default, which is later.
    @_noLocks
    public mutating func write(_ samples: Span<Float>, madeAt time: MonotonicTime = .now) {
        let isFloat = converter.isFloat
        precondition(isFloat, "the format has other samples; write their bytes")
        let (count, channels) = (samples.count, channelCount)
        precondition(count % channels == 0, "a write takes whole frames")
        let base = unsafe samples.withUnsafeBufferPointer { unsafe UnsafeRawPointer($0.baseAddress) }
        guard let base = unsafe base else { return }
        unsafe write(base, count / channels, time)
    }

    /// Writes samples of any format, as bytes. What there is no room for is dropped, and counted.
    ///
    /// - Parameters:
    ///   - bytes: whole frames of all channels, in the format's order.
    ///   - time: when the first of them was made; now by default, which is later.
    @_noLocks
    public mutating func write(_ bytes: Span<UInt8>, madeAt time: MonotonicTime = .now) {
        let (count, size) = (bytes.count, converter.bytesPerFrame)
        precondition(count % size == 0, "a write takes whole frames")
        let base = unsafe bytes.withUnsafeBufferPointer { unsafe UnsafeRawPointer($0.baseAddress) }
        guard let base = unsafe base else { return }
        unsafe write(base, count / size, time)
    }

    @_noLocks
    private mutating func write(_ memory: UnsafeRawPointer, _ frames: Int, _ time: MonotonicTime) {
        guard frames > 0 else { return }
        // A block as a whole, so that the time after a gap is that of a write.
        guard ring.value.writableFrames >= frames, times.writableEvents > 0 else {
            refusedFrames &+= UInt64(truncatingIfNeeded: frames)
            return
        }
        var stamp = WriterStamp()
        stamp.frame = ring.value.writePosition
        stamp.nanoseconds = time.nanoseconds
        shared.value.noteBlock(frames)
        _ = times.trySend(stamp)
        _ = unsafe converter.write(memory, frames, into: ring)
        shared.value.setIdle(false)
    }

    /// Says that nothing comes for now, so that nothing waits for this input. The next write ends that.
    @_noLocks
    public func markIdle() {
        shared.value.forgetBlocks()
        shared.value.setIdle(true)
    }
}
